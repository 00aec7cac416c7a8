import { create } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import { Comments } from "./proto-comments.ts";
import { type FieldContext, fieldsOf } from "./proto-fields.ts";
import { ProtoFileProblem } from "./proto-file-problem.ts";
import { fullNameOf, type ProtoNames } from "./proto-names.ts";

/** A proto file whose contents are in a protobufjs root. */
export interface ParsedFile {
  /** As it is imported. */
  readonly name: string;
  readonly syntax: "proto2" | "proto3";
  readonly package: string;
  readonly imports: readonly string[];
}

export interface Describing {
  /** What the file declares at its top level. */
  readonly own: readonly protobuf.ReflectionObject[];
  readonly names: ProtoNames;
  /** Imports that were not found. */
  readonly missing: readonly string[];
}

/** Field numbers of descriptor.proto, for the paths of comments. */
const MESSAGE_TYPE = 4;
const SERVICE = 6;
const NESTED_TYPE = 3;
const METHOD = 2;

/** Makes all types of a root known by their full names. */
export function declareTypes(namespace: protobuf.NamespaceBase, names: ProtoNames): void {
  for (const object of namespace.nestedArray) {
    const kind = object instanceof protobuf.Type ? "message" : object instanceof protobuf.Enum ? "enum" : undefined;
    if (kind !== undefined) names.add(fullNameOf(object), { kind, file: object.filename ?? "" });
    if (object instanceof protobuf.Namespace || object instanceof protobuf.Type) declareTypes(object, names);
  }
}

/**
 * Describes one file. protobufjs has a way of its own to do that, which loses
 * imports, `optional`, JSON names and the full names of types.
 */
export function describeFile(file: ParsedFile, { own, names, missing }: Describing): FileDescriptorProto {
  const dependencies = new Set<string>();
  const comments = new Comments();
  const find = (name: string, scope: string) => {
    const found = names.resolve(name, scope);
    if (found === undefined) throw new ProtoFileProblem(unknownType(file.name, name, missing));
    if (found.file !== file.name) dependencies.add(found.file);
    return found;
  };
  const context: FieldContext = { file, find, comments };
  const messages = own.filter((object) => object instanceof protobuf.Type);
  const services = own.filter((object) => object instanceof protobuf.Service);
  const described = {
    name: file.name,
    package: file.package,
    syntax: file.syntax,
    messageType: messages.map((type, index) => message(type, [MESSAGE_TYPE, index], context)),
    enumType: own.filter((object) => object instanceof protobuf.Enum).map(enumeration),
    service: services.map((type, index) => service(type, [SERVICE, index], context)),
  };
  const sourceCodeInfo = { location: comments.locations };
  return create(FileDescriptorProtoSchema, { ...described, dependency: [...dependencies], sourceCodeInfo });
}

function unknownType(file: string, name: string, missing: readonly string[]): string {
  const where = missing.length === 0 ? "" : ` (imports that were not found: ${missing.slice(0, 5).join(", ")})`;
  return `${file} uses the type ${name}, which is not known${where}`;
}

/** What the files of a root declare at their top level, by the name of the file. */
export function declarationsByFile(root: protobuf.Root): ReadonlyMap<string, readonly protobuf.ReflectionObject[]> {
  return Map.groupBy(topLevel(root), ({ filename }) => filename ?? "");
}

function topLevel(namespace: protobuf.NamespaceBase): protobuf.ReflectionObject[] {
  return namespace.nestedArray.flatMap((object) => {
    const isPackage =
      object instanceof protobuf.Namespace &&
      !(object instanceof protobuf.Type) &&
      !(object instanceof protobuf.Service);
    return isPackage ? topLevel(object) : [object];
  });
}

type Message = FileDescriptorProto["messageType"][number];

function message(type: protobuf.Type, path: readonly number[], context: FieldContext): Omit<Message, "$typeName"> {
  if ("group" in type && type.group === true) {
    throw new ProtoFileProblem(`${context.file.name} has a group, which is read from a descriptor_set_file only`);
  }
  context.comments.add(path, type.comment);
  const { fields, entries, oneofs } = fieldsOf(type, path, context);
  const nested = type.nestedArray.filter((object) => object instanceof protobuf.Type);
  const enums = type.nestedArray.filter((object) => object instanceof protobuf.Enum);
  return {
    name: type.name,
    field: fields,
    nestedType: [...nested.map((inner, index) => message(inner, [...path, NESTED_TYPE, index], context)), ...entries],
    enumType: enums.map(enumeration),
    oneofDecl: oneofs,
  } as unknown as Omit<Message, "$typeName">;
}

function enumeration(type: protobuf.Enum) {
  const value = Object.entries(type.values).map(([name, number]) => ({ name, number }));
  return { name: type.name, value, options: { allowAlias: type.options?.allow_alias === true } };
}

function service(type: protobuf.Service, path: readonly number[], { find, comments }: FieldContext) {
  comments.add(path, type.comment);
  const scope = fullNameOf(type);
  const method = type.methodsArray.map((rpc, index) => {
    comments.add([...path, METHOD, index], rpc.comment);
    return {
      name: rpc.name,
      inputType: `.${find(rpc.requestType, scope).fullName}`,
      outputType: `.${find(rpc.responseType, scope).fullName}`,
      clientStreaming: rpc.requestStream === true,
      serverStreaming: rpc.responseStream === true,
    };
  });
  return { name: type.name, method };
}
