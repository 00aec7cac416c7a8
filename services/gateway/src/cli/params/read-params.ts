import type { JsonObject, JsonValue } from "@toolgate/client";
import { UsageError } from "../exit-codes.ts";
import { type Pairs, quote } from "./pairs.ts";
import { readValue } from "./read-value.ts";
import { SchemaView } from "./schema-view.ts";

const MAX_NAMES_SHOWN = 20;

/**
 * The arguments of a tool from `--param` options, read by its input schema.
 * A name that the schema excludes is refused, not dropped.
 *
 * @throws UsageError with a line for each problem.
 */
export async function readParams(pairs: Pairs, inputSchema: JsonValue): Promise<JsonObject> {
  const schema = new SchemaView(inputSchema);
  const problems: string[] = [];
  const entries: [string, JsonValue][] = [];
  for (const [name, texts] of pairs) {
    const property = schema.property(name);
    const read = property && readValue(texts, property);
    if (read === undefined) problems.push(await unknown(name, schema.propertyNames));
    else if (read.ok) entries.push([name, read.value]);
    else problems.push(`--param ${name}: ${read.problem}`);
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return Object.fromEntries(entries);
}

async function unknown(name: string, known: readonly string[]): Promise<string> {
  // Loaded only here: a call without a mistake need not wait for it.
  const { nearNames } = await import("@toolgate/core");
  const near = nearNames(name, known).map(quote);
  const names = known.slice(0, MAX_NAMES_SHOWN).join(", ") + (known.length > MAX_NAMES_SHOWN ? ", …" : "");
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `It takes: ${names === "" ? "none" : names}.`;
  return `The tool takes no parameter ${quote(name)}. ${hint}`;
}
