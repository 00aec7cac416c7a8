import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json.ts";
import { targetOf } from "../../json/pointer.ts";
import { ANY_TYPE, NO_TYPE, type Types, typesOf } from "./types.ts";

/**
 * What of a schema coercion goes by. It allows at least what the schema
 * allows: what it rules out is certainly wrong, and only that is ever changed.
 */
export interface CoercionPlan {
  readonly types: Types;
  /** What `enum` and `const` allow; unset where they are. */
  readonly values?: readonly JsonValue[];
  readonly members?: Members;
  readonly items?: Items;
  /** All of these hold too: `allOf` and the target of `$ref`. */
  readonly parts: readonly CoercionPlan[];
  /** Of each of these at least one holds: `anyOf` and `oneOf`. */
  readonly choices: readonly (readonly CoercionPlan[])[];
}

export interface Members {
  readonly properties: ReadonlyMap<string, CoercionPlan>;
  /** For properties of other names. */
  readonly others: CoercionPlan;
  readonly required: ReadonlySet<string>;
}

export interface Items {
  /** For the first items, one each. */
  readonly first: readonly CoercionPlan[];
  readonly others: CoercionPlan;
}

/** Of a schema that says nothing. There is no other plan that says nothing. */
export const ANYTHING: CoercionPlan = { types: ANY_TYPE, parts: [], choices: [] };
const NOTHING: CoercionPlan = { types: NO_TYPE, parts: [], choices: [] };

/**
 * Keywords that say more than this (`if`, `not`, `contains`, patterns of
 * names, references by anything but a JSON Pointer) are left to validation.
 */
export function planCoercion(schema: JsonObject | boolean): CoercionPlan {
  if (typeof schema === "boolean") return ANYTHING;
  const { $schema } = schema;
  const hasPrefixItems = typeof $schema !== "string" || $schema.includes("2020-12");
  return planOf(schema, { root: schema, hasPrefixItems, plans: new Map() });
}

interface Planning {
  readonly root: JsonObject;
  /** Before 2020-12 `items` was a list where that has `prefixItems`. */
  readonly hasPrefixItems: boolean;
  /** By schema, so that those which contain themselves end. */
  readonly plans: Map<JsonObject, CoercionPlan>;
}

function planOf(schema: JsonValue | undefined, planning: Planning): CoercionPlan {
  if (schema === false) return NOTHING;
  if (!isJsonObject(schema)) return ANYTHING;
  const known = planning.plans.get(schema);
  if (known !== undefined) return known;
  // References below a base of their own do not start from the root.
  const hasOwnBase = schema !== planning.root && schema.$id !== undefined;
  if (hasOwnBase || !saysAnything(schema)) return ANYTHING;
  const plan = {} as { -readonly [K in keyof CoercionPlan]: CoercionPlan[K] };
  planning.plans.set(schema, plan);
  return Object.assign(plan, readPlan(schema, planning));
}

const KEYWORDS = ["type", "const", "enum", "$ref", "allOf", "anyOf", "oneOf"];
const MEMBER_KEYWORDS = ["properties", "additionalProperties", "required"];
const ITEM_KEYWORDS = ["items", "prefixItems", "additionalItems"];
const ALL_KEYWORDS = [...KEYWORDS, ...MEMBER_KEYWORDS, ...ITEM_KEYWORDS];

function saysAnything(schema: JsonObject): boolean {
  return ALL_KEYWORDS.some((keyword) => schema[keyword] !== undefined);
}

function readPlan(schema: JsonObject, planning: Planning): CoercionPlan {
  const plansOf = (schemas: JsonValue | undefined) =>
    Array.isArray(schemas) ? schemas.map((part) => planOf(part, planning)) : [];
  const { type, const: only, enum: choices, $ref } = schema;
  const values = only !== undefined ? [only] : Array.isArray(choices) ? choices : undefined;
  const target = typeof $ref === "string" ? targetOf(planning.root, $ref)?.value : undefined;
  return {
    types: typesOf(type, schema.nullable === true),
    ...(values === undefined ? {} : { values }),
    ...(MEMBER_KEYWORDS.some((keyword) => keyword in schema) ? { members: readMembers(schema, planning) } : {}),
    ...(ITEM_KEYWORDS.some((keyword) => keyword in schema) ? { items: readItems(schema, planning) } : {}),
    parts: [planOf(target, planning), ...plansOf(schema.allOf)].filter((plan) => plan !== ANYTHING),
    choices: [plansOf(schema.anyOf), plansOf(schema.oneOf)].filter((branches) => branches.length > 0),
  };
}

function readMembers(schema: JsonObject, planning: Planning): Members {
  const { properties, patternProperties, additionalProperties, required } = schema;
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  return {
    properties: new Map(named.map(([name, property]) => [name, planOf(property, planning)])),
    others: patternProperties === undefined ? planOf(additionalProperties, planning) : ANYTHING,
    required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []),
  };
}

function readItems({ items, prefixItems, additionalItems }: JsonObject, planning: Planning): Items {
  const isList = Array.isArray(items);
  const first = isList ? items : planning.hasPrefixItems && Array.isArray(prefixItems) ? prefixItems : [];
  return {
    first: first.map((item) => planOf(item, planning)),
    others: planOf(isList ? additionalItems : items, planning),
  };
}
