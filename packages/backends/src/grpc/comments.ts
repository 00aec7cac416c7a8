import type { DescEnum, DescField, DescFile, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { DescriptorProto, FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** Field numbers of descriptor.proto: a comment's place is a path of them. */
const FILE_MESSAGE = 4;
const FILE_ENUM = 5;
const FILE_SERVICE = 6;
const MESSAGE_FIELD = 2;
const MESSAGE_NESTED = 3;
const MESSAGE_ENUM = 4;
const SERVICE_METHOD = 2;

/** Comments are for people; a schema is sent to a model with every list. */
const MAX_COMMENT = 1_024;

const byFile = new WeakMap<FileDescriptorProto, ReadonlyMap<object, string>>();

/** What the proto file says about this; `undefined` where it says nothing or its descriptors have no comments. */
export function commentOf(desc: DescMessage | DescField | DescEnum | DescMethod): string | undefined {
  const file = fileOf(desc).proto;
  let comments = byFile.get(file);
  if (comments === undefined) {
    comments = commentsIn(file);
    byFile.set(file, comments);
  }
  return comments.get(desc.proto);
}

function fileOf(desc: DescMessage | DescField | DescEnum | DescMethod): DescFile {
  return "file" in desc ? desc.file : desc.parent.file;
}

function commentsIn(file: FileDescriptorProto): ReadonlyMap<object, string> {
  const byPath = new Map<string, string>();
  for (const { path, leadingComments, trailingComments } of file.sourceCodeInfo?.location ?? []) {
    const text = tidy(leadingComments) || tidy(trailingComments);
    if (text !== "") byPath.set(path.join(), text);
  }
  const found = new Map<object, string>();
  if (byPath.size === 0) return found;
  const note: Note = (proto, path) => {
    const text = byPath.get(path.join());
    if (text !== undefined) found.set(proto, text);
  };
  for (const [index, message] of file.messageType.entries()) walk(message, [FILE_MESSAGE, index], note);
  for (const [index, enumeration] of file.enumType.entries()) note(enumeration, [FILE_ENUM, index]);
  for (const [index, service] of file.service.entries()) {
    for (const [place, method] of service.method.entries()) note(method, [FILE_SERVICE, index, SERVICE_METHOD, place]);
  }
  return found;
}

type Note = (proto: object, path: readonly number[]) => void;

function walk(message: DescriptorProto, path: readonly number[], note: Note): void {
  note(message, path);
  for (const [index, field] of message.field.entries()) note(field, [...path, MESSAGE_FIELD, index]);
  for (const [index, enumeration] of message.enumType.entries()) note(enumeration, [...path, MESSAGE_ENUM, index]);
  for (const [index, inner] of message.nestedType.entries()) walk(inner, [...path, MESSAGE_NESTED, index], note);
}

function tidy(comment: string): string {
  const lines = comment.split("\n").map((line) => line.trim());
  return lines.join("\n").trim().slice(0, MAX_COMMENT);
}
