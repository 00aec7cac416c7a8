import { type Outcome, type ReadyCall, type SchemaCompiler, withArguments } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Fills in the schema's defaults for top-level arguments that were left out. */
export function defaults(schemas: SchemaCompiler): Stage<ReadyCall, Outcome> {
  return {
    name: "defaults",
    run(call, next) {
      const schema = call.entry.tool.inputSchema;
      if (schema === undefined) return next(call);
      const args = schemas.fillDefaults(schema, call.args);
      return next(args === call.args ? call : withArguments(call, args));
    },
  };
}
