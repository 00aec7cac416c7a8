import {
  type CoercionPlan,
  coerce as coerceArguments,
  describeCoercions,
  type Outcome,
  planCoercion,
  type ReadyCall,
  type SchemaDocument,
  withArguments,
} from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Reads arguments as the schema wants them, where there is one way to: see `coerce` of the core. */
export function coerce(): Stage<ReadyCall, Outcome> {
  const plans = new WeakMap<SchemaDocument, CoercionPlan>();
  const planFor = (schema: SchemaDocument) => {
    const plan = planCoercion(schema.value);
    plans.set(schema, plan);
    return plan;
  };
  return {
    name: "coerce",
    run(call, next) {
      const schema = call.entry.tool.inputSchema;
      if (schema === undefined) return next(call);
      const { args, changes } = coerceArguments(plans.get(schema) ?? planFor(schema), call.args);
      if (args === call.args) return next(call);
      call.trail.warnings.push(...describeCoercions(changes));
      return next(withArguments(call, args));
    },
  };
}
