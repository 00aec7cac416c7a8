import { type Outcome, type ReadyCall, type SchemaCompiler, ToolgateError, type Violation } from "@toolgate/core";
import type { Stage } from "../stage.ts";

const SHOWN = 5;

/** Refuses arguments that do not fit the tool's input schema, naming every place at once. */
export function validate(schemas: SchemaCompiler): Stage<ReadyCall, Outcome> {
  return {
    name: "validate",
    run(call, next) {
      const { inputSchema, name } = call.entry.tool;
      if (inputSchema === undefined) return next(call);
      const violations = schemas.validate(inputSchema, call.args);
      if (violations.length === 0) return next(call);
      throw new ToolgateError(
        "INVALID_ARGUMENT",
        `The arguments of "${name}" do not fit its schema: ${summary(violations)}`,
        {
          violations,
        },
      );
    },
  };
}

function summary(violations: readonly Violation[]): string {
  const places = violations.slice(0, SHOWN).map(({ path, expected, got }) => {
    return `${path === "" ? "the whole" : path}: expected ${expected}, got ${got}`;
  });
  const more = violations.length > SHOWN ? `; and ${violations.length - SHOWN} more` : "";
  return `${places.join("; ")}${more}.`;
}
