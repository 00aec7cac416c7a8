import { type $ZodType, toJSONSchema } from "zod/v4/core";
import { isJsonObject, pointerStep } from "../json/json.ts";
import { resultText } from "../json/result-text.ts";
import type { Schema } from "./tool.ts";

/** Which side of a Zod schema is told to others: what it takes, or what it gives. */
export type Side = "input" | "output";

/** At most so many parts of one schema are named in an error. */
const MAX_FAULTS = 10;

export function isZod(schema: unknown): schema is $ZodType {
  return typeof schema === "object" && schema !== null && "_zod" in schema;
}

/**
 * A schema as JSON Schema text, for the gateway. Zod is translated to 2020-12.
 *
 * @param where such as 'schema of the tool "weather_now"', for errors.
 * @throws TypeError naming each part that JSON Schema cannot say.
 */
export function schemaText(schema: Schema, side: Side, where: string): string {
  if (isZod(schema)) return JSON.stringify(translated(schema, side, where));
  if (!isJsonObject(schema)) throw new TypeError(`The ${where} must be a Zod schema or a JSON Schema object.`);
  if ("_def" in schema || "~standard" in schema) {
    throw new TypeError(`The ${where} comes from Zod 3 or another library; use Zod 4 or a JSON Schema object.`);
  }
  try {
    return resultText(schema);
  } catch (error) {
    const why = (error as Error).message.replace(/^The result/, "It");
    throw new TypeError(`The ${where} is not JSON. ${why}`);
  }
}

function translated(schema: $ZodType, side: Side, where: string): object {
  const faults: string[] = [];
  const note = (path: readonly (string | number)[], message: string) => {
    faults.push(`${path.length === 0 ? "the top" : path.map(pointerStep).join("")}: ${message}`);
  };
  const json = attempt(
    () =>
      toJSONSchema(schema, {
        target: "draft-2020-12",
        io: side,
        unrepresentable({ path, message }) {
          note(path, message);
          return "any";
        },
      }),
    (message) => note([], message),
  );
  if (faults.length > 0 || json === undefined) {
    const shown = faults.slice(0, MAX_FAULTS).join("; ");
    throw new TypeError(
      `The ${where} has parts that JSON Schema cannot say, so that no caller could know them. ${shown}. ` +
        "Use a JSON type there, such as z.iso.datetime() for a date or z.string() for a big number, and convert in the handler.",
    );
  }
  return json;
}

function attempt<T>(make: () => T, onError: (message: string) => void): T | undefined {
  try {
    return make();
  } catch (error) {
    onError(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

const NOT_OBJECTS: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "string"]);

/**
 * @throws TypeError where the schema can never accept the JSON object that
 * arguments are.
 */
export function requireObject(text: string, where: string): void {
  const { type } = JSON.parse(text) as { type?: unknown };
  // A type that does not exist is for the gateway to name, which knows what was meant.
  if (![type].flat().every((name) => NOT_OBJECTS.has(name))) return;
  throw new TypeError(
    `The ${where} accepts ${JSON.stringify(type)} at its top, but arguments are always a JSON object; ` +
      "wrap it, as in z.object({ value: … }).",
  );
}
