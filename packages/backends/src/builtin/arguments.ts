import { type JsonObject, type JsonValue, jsonTypeOf, ToolgateError } from "@toolgate/core";

/*
 * A tool file may give a handler a schema of its own, or none: what the
 * handler relies on, it checks here.
 */

export function textArgument(args: JsonObject, name: string): string {
  const value = argument(args, name);
  if (typeof value === "string") return value;
  throw misfit(name, "text", value);
}

export function flagArgument(args: JsonObject, name: string): boolean {
  const value = argument(args, name) ?? false;
  if (typeof value === "boolean") return value;
  throw misfit(name, "true or false", value);
}

export interface Bounds {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** An integer within its bounds; `fallback` where it is absent or null. */
export function integerArgument(args: JsonObject, name: string, { fallback, min, max }: Bounds): number {
  const value = argument(args, name) ?? fallback;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw misfit(name, `an integer from ${min} to ${max}`, value);
}

function argument(args: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function misfit(name: string, expected: string, value: JsonValue | undefined): ToolgateError {
  const got = value === undefined ? "nothing" : typeof value === "number" ? String(value) : jsonTypeOf(value);
  return new ToolgateError("INVALID_ARGUMENT", `The argument "${name}" must be ${expected}, but it is ${got}.`, {
    violations: [{ path: `/${name}`, expected, got }],
  });
}
