import type { JsonObject } from "../json.ts";
import { isObject, own, propertiesOf, stringsOf, without } from "../schema/schema.ts";
import { type NameRule, safeNames } from "./safe-names.ts";

export interface SafeArguments {
  readonly schema: JsonObject;
  /** From the safe names to the tool's own; only those that differ. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Keywords that name arguments too; left out where one is renamed, as the gateway checks them anyway. */
const NAMING = ["dependencies", "dependentRequired", "dependentSchemas", "else", "if", "patternProperties", "then"];

/** The same arguments under names that a provider allows. Only those of the tool itself, not of objects inside. */
export function safeArguments(schema: JsonObject, rule: NameRule): SafeArguments {
  const properties = propertiesOf(schema);
  const safe = safeNames(
    properties.map(([name]) => name),
    rule,
  );
  const renamed = new Map([...safe].filter(([name, as]) => name !== as).map(([name, as]) => [as, name]));
  if (renamed.size === 0) return { schema, renamed };
  const safeProperties = properties.map(([name, value]) => {
    const as = safe.get(name) as string;
    return [as, as === name || !isObject(value) ? value : { ...value, title: own(value, "title") ?? name }];
  });
  const required = stringsOf(own(schema, "required")).map((name) => safe.get(name) ?? name);
  return {
    renamed,
    schema: {
      ...without(schema, NAMING),
      properties: Object.fromEntries(safeProperties),
      ...(required.length === 0 ? {} : { required }),
    },
  };
}
