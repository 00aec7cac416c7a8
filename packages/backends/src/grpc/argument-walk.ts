import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue as ProtoJson,
  type Registry,
} from "@bufbuild/protobuf";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonTypeOf,
  quotedExcerpt,
  type Violation,
} from "@toolgate/core";
import { expectedOf, fieldNamed, hasOwnJson, pointer } from "./json-types.ts";

/** More than these help nobody. */
const MAX_VIOLATIONS = 50;

/** Every place where JSON does not fit a message. Slow: for messages that are known not to fit. */
export function violationsIn(message: DescMessage, json: ProtoJson, registry: Registry): readonly Violation[] {
  const found: Violation[] = [];
  for (const violation of new Search(registry).message(message, json as JsonValue, "")) {
    found.push(violation);
    if (found.length === MAX_VIOLATIONS) break;
  }
  return found;
}

/** A field under the name that was used for it. */
interface Place {
  readonly message: DescMessage;
  readonly field: DescField;
  readonly key: string;
}

class Search {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  *message(message: DescMessage, json: JsonValue, path: string): Generator<Violation, void> {
    if (hasOwnJson(message)) {
      if (!this.#takes(message, json)) yield misfit(path, expectedOf(message), json);
    } else if (isJsonObject(json)) {
      for (const [key, value] of Object.entries(json)) {
        const field = fieldNamed(message, key);
        if (field === undefined) yield unknown(message, pointer(path, key));
        else if (value !== null) yield* this.#field({ message, field, key }, value, pointer(path, key));
      }
    } else {
      yield misfit(path, "an object", json);
    }
  }

  *#field(place: Place, value: JsonValue, path: string): Generator<Violation, void> {
    const { field, key, message } = place;
    if (field.fieldKind === "message") yield* this.message(field.message, value, path);
    else if (field.fieldKind === "list") yield* this.#list(place, value, path);
    else if (field.fieldKind === "map") yield* this.#map(place, value, path);
    else if (!this.#takes(message, { [key]: value })) yield misfit(path, expectedOf(field), value);
  }

  *#list(place: Place, value: JsonValue, path: string): Generator<Violation, void> {
    if (!Array.isArray(value)) yield misfit(path, "an array", value);
    else for (const [index, item] of value.entries()) yield* this.#item(place, [item], pointer(path, String(index)));
  }

  *#map(place: Place, value: JsonValue, path: string): Generator<Violation, void> {
    if (!isJsonObject(value)) yield misfit(path, "an object", value);
    else for (const [key, item] of Object.entries(value)) yield* this.#item(place, { [key]: item }, pointer(path, key));
  }

  /** One item, in a list or map of its own. */
  *#item({ message, field, key }: Place, alone: JsonValue[] | JsonObject, path: string): Generator<Violation, void> {
    const item = Object.values(alone)[0] as JsonValue;
    if (field.message !== undefined && item !== null) yield* this.message(field.message, item, path);
    else if (!this.#takes(message, { [key]: alone })) yield misfit(path, expectedOf(field), item);
  }

  #takes(message: DescMessage, json: JsonValue): boolean {
    try {
      fromJson(message, json as ProtoJson, { registry: this.#registry });
      return true;
    } catch {
      return false;
    }
  }
}

const SHOWN_FIELDS = 20;

function unknown({ fields }: DescMessage, path: string): Violation {
  const names = fields.map(({ jsonName }) => jsonName).slice(0, SHOWN_FIELDS);
  const expected = names.length === 0 ? "no field at all" : `one of the fields ${names.join(", ")}`;
  return { path, expected, got: "a field that is not known" };
}

function misfit(path: string, expected: string, got: JsonValue): Violation {
  return { path, expected, got: shown(got) };
}

function shown(value: JsonValue): string {
  const type = jsonTypeOf(value);
  if (typeof value !== "string") return type === "integer" || type === "number" ? String(value) : type;
  return quotedExcerpt(value, 60);
}
