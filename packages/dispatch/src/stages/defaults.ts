import type { Outcome, ReadyCall, SchemaCompiler } from "@toolgate/core";
import type { Stage } from "../stage.ts";

/** Fills in the schema's defaults for top-level arguments that were left out. */
export function defaults(schemas: SchemaCompiler): Stage<ReadyCall, Outcome> {
  return {
    name: "defaults",
    run(call, next) {
      const schema = call.entry.tool.inputSchema;
      if (schema === undefined) return next(call);
      const args = schemas.fillDefaults(schema, call.args);
      if (args === call.args) return next(call);
      const { argsText: _outdated, ...rest } = call;
      return next({ ...rest, args });
    },
  };
}
