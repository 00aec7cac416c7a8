import {
  type FieldDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import { jsonNameOf } from "./json-name.ts";
import type { Comments } from "./proto-comments.ts";
import type { ParsedFile } from "./proto-messages.ts";
import { type Declared, entryNameOf, fullNameOf } from "./proto-names.ts";

export interface FieldContext {
  readonly file: ParsedFile;
  /** @throws ProtoFileProblem where there is no such type. */
  readonly find: (name: string, scope: string) => Declared & { readonly fullName: string };
  readonly comments: Comments;
}

type Field = Pick<FieldDescriptorProto, "name" | "number" | "label" | "type" | "jsonName"> &
  Partial<FieldDescriptorProto>;

export interface Fields {
  readonly fields: readonly Field[];
  /** The messages that stand for the entries of map fields. */
  readonly entries: readonly {
    readonly name: string;
    readonly field: readonly Field[];
    readonly options: { readonly mapEntry: true };
  }[];
  /** Real ones first; then those that stand for `optional`. */
  readonly oneofs: readonly { readonly name: string }[];
}

const SCALARS: Readonly<Record<string, Type>> = {
  bool: Type.BOOL,
  bytes: Type.BYTES,
  double: Type.DOUBLE,
  fixed32: Type.FIXED32,
  fixed64: Type.FIXED64,
  float: Type.FLOAT,
  int32: Type.INT32,
  int64: Type.INT64,
  sfixed32: Type.SFIXED32,
  sfixed64: Type.SFIXED64,
  sint32: Type.SINT32,
  sint64: Type.SINT64,
  string: Type.STRING,
  uint32: Type.UINT32,
  uint64: Type.UINT64,
};

/** Field number of `field` in DescriptorProto, for the paths of comments. */
const FIELD = 2;

export function fieldsOf(type: protobuf.Type, path: readonly number[], context: FieldContext): Fields {
  const scope = fullNameOf(type);
  const isSynthetic = (name: string) =>
    type.fields[type.oneofs[name]?.oneof[0] ?? ""]?.options?.proto3_optional === true;
  const oneofs = type.oneofsArray.map(({ name }) => name);
  const ordered = [...oneofs.filter((name) => !isSynthetic(name)), ...oneofs.filter(isSynthetic)];
  const entries: Fields["entries"][number][] = [];
  const fields = type.fieldsArray.map((field, index) => {
    context.comments.add([...path, FIELD, index], field.comment);
    const oneof = field.partOf === null || field.partOf === undefined ? -1 : ordered.indexOf(field.partOf.name);
    if (field instanceof protobuf.MapField) {
      const entry = entryNameOf(field.name);
      entries.push({ name: entry, field: entryFields(field, scope, context), options: { mapEntry: true } });
      return { ...named(field), label: Label.REPEATED, type: Type.MESSAGE, typeName: `.${scope}.${entry}` };
    }
    return {
      ...named(field),
      ...typed(field.type, scope, context),
      label: labelOf(field),
      ...(oneof === -1 ? {} : { oneofIndex: oneof }),
      ...(field.options?.proto3_optional === true ? { proto3Optional: true } : {}),
    };
  });
  return { fields, entries, oneofs: ordered.map((name) => ({ name })) };
}

function entryFields(field: protobuf.MapField, scope: string, context: FieldContext): Field[] {
  const part = (name: string, number: number, type: string): Field => {
    return { name, number, jsonName: name, label: Label.OPTIONAL, ...typed(type, scope, context) };
  };
  return [part("key", 1, field.keyType), part("value", 2, field.type)];
}

function named({ name, id, options }: protobuf.FieldBase) {
  const given: unknown = options?.json_name;
  return { name, number: id, jsonName: typeof given === "string" ? given : jsonNameOf(name) };
}

/** As it is written: what protobufjs knows itself of presence, it knows only once all files fit together. */
function labelOf(field: protobuf.Field): Label {
  const { rule } = field.toJSON();
  return rule === "repeated" ? Label.REPEATED : rule === "required" ? Label.REQUIRED : Label.OPTIONAL;
}

function typed(type: string, scope: string, { find }: FieldContext) {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return { type: scalar };
  const found = find(type, scope);
  return { type: found.kind === "enum" ? Type.ENUM : Type.MESSAGE, typeName: `.${found.fullName}` };
}
