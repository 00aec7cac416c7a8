import { z } from "zod";

type Schema = z.core.$ZodType;

/** Whether a schema, or one that it wraps, is marked with `.meta({ secret: true })`. */
export function isSecret(schema: Schema): boolean {
  return marks(schema) || alternatives(schema).some(isSecret);
}

/**
 * The schemas for the part of a value under `key`: several where the schema
 * has alternatives, none where it says nothing about the part.
 */
export function innerSchemas(schema: Schema, key: string | number): readonly Schema[] {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  switch (def.type) {
    case "object":
      if (Object.hasOwn(def.shape, key)) return [def.shape[key] as Schema];
      return def.catchall === undefined ? [] : [def.catchall];
    case "record":
      return [def.valueType];
    case "array":
      return [def.element];
    default:
      return alternatives(schema).flatMap((inner) => innerSchemas(inner, key));
  }
}

function marks(schema: Schema): boolean {
  return z.globalRegistry.get(schema)?.secret === true;
}

/** What a schema that is only a wrapper, or a choice, reads the same value with. */
function alternatives(schema: Schema): readonly Schema[] {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return [def.innerType];
    case "pipe":
      return [def.in];
    case "union":
      return def.options;
    case "intersection":
      return [def.left, def.right];
    case "lazy":
      return [def.getter()];
    default:
      return [];
  }
}
