import { type DescEnum, type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "@toolgate/core";
import { commentOf } from "./comments.ts";
import { WELL_KNOWN_SCHEMAS } from "./well-known-schemas.ts";

/**
 * The JSON Schema (2020-12) of what a method takes, by the JSON mapping of
 * Protocol Buffers. Fields have their JSON names; the names of the proto file
 * are taken too, so that other properties are not forbidden here: the backend
 * refuses those that are no field. Comments become descriptions. Messages that
 * are used more than once, or in themselves, are in `$defs`.
 */
export function inputSchemaOf({ input }: DescMethod): JsonObject {
  return new SchemaWriter(input).root();
}

class SchemaWriter {
  readonly #root: DescMessage;
  readonly #uses: ReadonlyMap<DescMessage, number>;
  readonly #defs = new Map<string, JsonObject>();

  constructor(root: DescMessage) {
    this.#root = root;
    this.#uses = countUses(root);
  }

  root(): JsonObject {
    const known = WELL_KNOWN_SCHEMAS[this.#root.typeName];
    // Arguments are an object, also where any value would do.
    if (known !== undefined) return { type: "object" };
    const schema = this.#object(this.#root);
    return this.#defs.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(this.#defs) };
  }

  #object(message: DescMessage): JsonObject {
    const properties = message.fields.map((field) => [field.jsonName, this.#field(field)] as const);
    const required = message.fields.filter(isRequired).map(({ jsonName }) => jsonName);
    const description = [commentOf(message), ...oneofWords(message)].filter((text) => text !== undefined).join("\n");
    return {
      type: "object",
      ...(description === "" ? {} : { description }),
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
    };
  }

  #field(field: DescField): JsonObject {
    const schema = this.#shape(field);
    const description = commentOf(field);
    return description === undefined ? schema : { ...schema, description };
  }

  #shape(field: DescField): JsonObject {
    switch (field.fieldKind) {
      case "list":
        return { type: "array", items: this.#value(field) };
      case "map":
        return { type: "object", ...keysOf(field.mapKey), additionalProperties: this.#value(field) };
      default:
        return this.#value(field);
    }
  }

  #value({ message, enum: enumeration, scalar }: DescField): JsonObject {
    if (message !== undefined) return this.#message(message);
    if (enumeration !== undefined) return enumSchema(enumeration);
    return scalarSchema(scalar ?? ScalarType.STRING);
  }

  #message(message: DescMessage): JsonObject {
    const known = WELL_KNOWN_SCHEMAS[message.typeName];
    if (known !== undefined) return known;
    if (message === this.#root) return { $ref: "#" };
    if ((this.#uses.get(message) ?? 0) < 2) return this.#object(message);
    const { typeName } = message;
    if (!this.#defs.has(typeName)) {
      // First the name, so that a message in itself finds it.
      this.#defs.set(typeName, {});
      this.#defs.set(typeName, this.#object(message));
    }
    return { $ref: `#/$defs/${typeName}` };
  }
}

/** How many fields have each message, among all that can be reached. */
function countUses(root: DescMessage): ReadonlyMap<DescMessage, number> {
  const uses = new Map<DescMessage, number>();
  const open = [root];
  for (let message = open.pop(); message !== undefined; message = open.pop()) {
    for (const { message: inner } of message.fields) {
      if (inner === undefined || WELL_KNOWN_SCHEMAS[inner.typeName] !== undefined) continue;
      const count = uses.get(inner) ?? 0;
      uses.set(inner, count + 1);
      if (count === 0 && inner !== root) open.push(inner);
    }
  }
  return uses;
}

/** Only proto2 has them. */
function isRequired({ proto }: DescField): boolean {
  return proto.label === FieldDescriptorProto_Label.REQUIRED;
}

function oneofWords({ oneofs }: DescMessage): string[] {
  return oneofs.map(({ fields }) => `At most one of ${fields.map(({ jsonName }) => jsonName).join(", ")}.`);
}

function enumSchema(enumeration: DescEnum): JsonObject {
  if (enumeration.typeName === "google.protobuf.NullValue") return { type: "null" };
  return { type: "string", enum: enumeration.values.map(({ name }) => name) };
}

const INT_32 = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const UINT_32 = { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 };
/** As a number or as text: JavaScript, and so many a caller, has no number for all of them. */
const INT_64 = { type: ["integer", "string"], pattern: "^-?[0-9]{1,19}$" };
const UINT_64 = { type: ["integer", "string"], pattern: "^[0-9]{1,20}$", minimum: 0 };

function scalarSchema(scalar: ScalarType): JsonObject {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { ...INT_32 };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { ...UINT_32 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { ...INT_64 };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { ...UINT_64 };
    default:
      return { type: "string" };
  }
}

/** Keys are text in JSON, whatever they are in the message. */
function keysOf(key: ScalarType): JsonObject {
  if (key === ScalarType.STRING) return {};
  if (key === ScalarType.BOOL) return { propertyNames: { enum: ["true", "false"] } };
  return { propertyNames: { pattern: "^-?[0-9]+$" } };
}
