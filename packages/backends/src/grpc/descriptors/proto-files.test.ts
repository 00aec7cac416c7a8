import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DescMessage, fromBinary, fromJson, ScalarType, toJson } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import {
  file_toolgate_v1_admin_service,
  file_toolgate_v1_envelope,
  file_toolgate_v1_gateway_service,
  file_toolgate_v1_provider_service,
  file_toolgate_v1_tool,
} from "@toolgate/contract";
import { afterAll, describe, expect, it } from "vitest";
import { linkFiles } from "./link-files.ts";
import { readProtoFile } from "./proto-files.ts";

const folder = mkdtempSync(join(tmpdir(), "toolgate-proto-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function write(text: string, name = `file-${count++}.proto`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function read(file: string, includeDirs: readonly string[] = []): readonly FileDescriptorProto[] {
  return fromBinary(FileDescriptorSetSchema, readProtoFile({ file, includeDirs })).file;
}

function messageIn(text: string, name: string): DescMessage {
  const linked = linkFiles(read(write(text)));
  if (!linked.ok) throw new Error(linked.why);
  const message = linked.registry.getMessage(name);
  if (message === undefined) throw new Error("no such message");
  return message;
}

describe("a proto file", () => {
  const protos = new URL("../../../../../proto/", import.meta.url).pathname;
  const compiled = [
    file_toolgate_v1_admin_service,
    file_toolgate_v1_envelope,
    file_toolgate_v1_gateway_service,
    file_toolgate_v1_provider_service,
    file_toolgate_v1_tool,
  ];

  it.each(compiled.map(({ proto }) => proto))("is described as the compiler does: $name", (proto) => {
    const found = read(join(protos, proto.name), [protos]).find(({ name }) => name === proto.name);
    expect(found && essence(found)).toEqual(essence(proto));
  });

  it("has the whole of proto3: optional, JSON names, maps, oneofs, nested types, imports that everybody has", () => {
    const message = messageIn(
      `syntax = 'proto3'; // comment
       package a.b;
       import "google/protobuf/timestamp.proto";
       message M {
         optional int32 days = 1;
         int64 big_id = 2 [json_name = "theId"];
         map<string, Inner> more_of_it = 3;
         oneof pick { string x = 4; Kind y = 5; }
         google.protobuf.Timestamp at = 6;
         repeated b.M.Inner list = 7;
         message Inner { M parent = 1; .a.b.Kind kind = 2; }
       }
       enum Kind { option allow_alias = true; KIND_UNSPECIFIED = 0; KIND_A = 1; KIND_B = 1; }`,
      "a.b.M",
    );
    const json = {
      days: 0,
      theId: "1917043659912705296",
      moreOfIt: { k: { parent: { x: "1" } } },
      y: "KIND_A",
      at: "2026-01-31T12:00:00Z",
      list: [{ kind: "KIND_A" }],
    };
    expect(toJson(message, fromJson(message, json))).toEqual(json);
    expect(toJson(message, fromJson(message, { big_id: 1 }))).toEqual({ theId: "1" });
    expect(message.fields.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(message.members).toHaveLength(6);
  });

  it("has proto2's presence", () => {
    const message = messageIn("message M { required string a = 1; optional bool b = 2; repeated int32 c = 3; }", "M");
    expect(toJson(message, fromJson(message, { a: "", b: false }))).toEqual({ a: "", b: false });
    expect(message.fields[2]).toMatchObject({ fieldKind: "list", scalar: ScalarType.INT32 });
  });

  it("keeps its comments", () => {
    const [file] = read(write(`syntax = "proto3";\n// A thing.\nmessage M {\n  // Its name.\n  string a = 1;\n}`));
    const comments = file?.sourceCodeInfo?.location.map(({ path, leadingComments }) => [path.join(), leadingComments]);
    expect(comments).toEqual([
      ["4,0", "A thing."],
      ["4,0,2,0", "Its name."],
    ]);
  });

  it("imports its neighbours, and leaves out what it does not need", () => {
    write('syntax = "proto3"; package n; message N { string a = 1; }', "n.proto");
    const files = read(
      write('import "n.proto"; import "buf/validate/validate.proto"; message M { optional n.N n = 1; }'),
    );
    expect(files.map(({ dependency }) => dependency)).toEqual([["n.proto"], []]);
    expect(linkFiles(files).ok).toBe(true);
  });

  it.each([
    ["message M { optional x.Y y = 1; }", /type x\.Y, which is not known$/],
    ['import "x.proto"; message M { optional x.Y y = 1; }', /imports that were not found: x\.proto/],
    ['edition = "2023"; message M {}', /editions.*descriptor_set_file/],
    ["message M { optional group G = 1 { } }", /group/],
    ["message M {", /cannot be read/],
    ["<html>", /cannot be read/],
  ])("is refused in words, without the path of this machine: %s", (text, words) => {
    const read = () => readProtoFile({ file: write(text), includeDirs: [] });
    expect(read).toThrow(words);
    expect(read).not.toThrow(folder);
  });

  it("that is not there is refused", () => {
    expect(() => readProtoFile({ file: join(folder, "none.proto"), includeDirs: [] })).toThrow(
      /none\.proto is not there/,
    );
  });
});

/** What matters for messages on the wire and in JSON. */
function essence(file: FileDescriptorProto) {
  return {
    package: file.package,
    messages: file.messageType.map(essenceOfMessage),
    enums: file.enumType.map(({ name, value }) => [name, value.map((item) => [item.name, item.number])]),
    services: file.service.map(({ name, method }) => [
      name,
      method.map((rpc) => [rpc.name, rpc.inputType, rpc.outputType, rpc.clientStreaming, rpc.serverStreaming]),
    ]),
    dependency: [...file.dependency].sort(),
  };
}

function essenceOfMessage(message: DescriptorProto): unknown {
  return {
    name: message.name,
    fields: message.field.map(essenceOfField),
    oneofs: message.oneofDecl.map(({ name }) => name),
    nested: message.nestedType.map(essenceOfMessage),
    isMapEntry: message.options?.mapEntry ?? false,
  };
}

function essenceOfField(field: FieldDescriptorProto) {
  const { name, number, label, type, typeName, jsonName, proto3Optional } = field;
  const oneof = Object.hasOwn(field, "oneofIndex") ? field.oneofIndex : undefined;
  return { name, number, label, type, typeName, jsonName, proto3Optional, oneof };
}
