import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, fromJson, type JsonValue as ProtoJson } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, it } from "vitest";
import { messageOf, REGISTRY, registryOf } from "../../test/grpc-tool.ts";
import { readProtoFile } from "./descriptors/proto-files.ts";
import { inputSchemaOf } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolgate-schema-"));
afterAll(() => rmSync(folder, { recursive: true }));

function schemaIn(text: string) {
  const file = join(folder, "x.proto");
  writeFileSync(file, text);
  const files: readonly FileDescriptorProto[] = fromBinary(
    FileDescriptorSetSchema,
    readProtoFile({ file, includeDirs: [] }),
  ).file;
  const method = registryOf(files).getService("S")?.methods[0];
  if (method === undefined) throw new Error("no method");
  return inputSchemaOf(method);
}

function schemaOf(name: string) {
  const method = REGISTRY.getService("demo.v1.Demo")?.methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error("no method");
  return inputSchemaOf(method);
}

const INT_64 = { type: ["integer", "string"], pattern: "^-?[0-9]{1,19}$" };
const UNITS = { type: "string", enum: ["UNIT_UNSPECIFIED", "UNIT_METRIC", "UNIT_IMPERIAL"] };
const INNER = { $ref: "#/$defs/demo.v1.Inner" };

describe("the schema of what a method takes", () => {
  it("has every kind of field, with its comments", () => {
    expect(schemaOf("Types")).toEqual({
      type: "object",
      description: "Every kind of field.\nAt most one of text, inner.",
      properties: {
        cityName: { type: "string", description: "The city that is\nmeant." },
        days: { type: "integer", minimum: -2147483648, maximum: 2147483647 },
        theId: INT_64,
        huge: { type: ["integer", "string"], pattern: "^[0-9]{1,20}$", minimum: 0 },
        ratio: { type: "number" },
        open: { type: "boolean" },
        raw: { type: "string", contentEncoding: "base64" },
        unit: UNITS,
        units: { type: "array", items: UNITS },
        counts: { type: "object", additionalProperties: INT_64 },
        byNumber: { type: "object", propertyNames: { pattern: "^-?[0-9]+$" }, additionalProperties: INNER },
        list: { type: "array", items: INNER },
        text: { type: "string" },
        inner: INNER,
        at: { type: "string", format: "date-time" },
        takes: expect.objectContaining({ type: "string", pattern: expect.any(String) }),
        free: { type: "object" },
        anyJson: {},
        any: expect.objectContaining({ required: ["@type"] }),
        maybe: { type: ["string", "null"] },
        maybeBig: expect.objectContaining({ type: ["integer", "string", "null"] }),
        mask: expect.objectContaining({ type: "string" }),
      },
      $defs: {
        "demo.v1.Inner": {
          type: "object",
          properties: { child: INNER, n: { type: "integer", minimum: -2147483648, maximum: 2147483647 } },
        },
      },
    });
  });

  it("takes any object where the message is one", () => {
    expect(schemaOf("Echo")).toEqual({ type: "object" });
    expect(schemaOf("Nothing")).toEqual({ type: "object", properties: {} });
  });

  it("leads back to itself where the message does", () => {
    const schema = schemaIn(
      'syntax = "proto3"; message T { repeated T kids = 1; } service S { rpc A(T) returns (T); }',
    );
    expect(schema).toEqual({ type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } });
  });

  it("names a circle that leaves the root out, and writes what is used once where it is used", () => {
    const text = `syntax = "proto3"; message R { A a = 1; O o = 2; } message A { B b = 1; } message B { A a = 1; }
      message O { string x = 1; } service S { rpc X(R) returns (R); }`;
    expect(schemaIn(text)).toEqual({
      type: "object",
      properties: { a: { $ref: "#/$defs/A" }, o: { type: "object", properties: { x: { type: "string" } } } },
      $defs: {
        A: { type: "object", properties: { b: { type: "object", properties: { a: { $ref: "#/$defs/A" } } } } },
      },
    });
  });

  it("requires what proto2 requires", () => {
    const text = "message M { required string a = 1; optional string b = 2; } service S { rpc X(M) returns (M); }";
    expect(schemaIn(text)).toMatchObject({ required: ["a"] });
  });

  it("has an example of each property that the message takes", () => {
    const examples: Record<string, ProtoJson> = {
      cityName: "a",
      days: 1,
      theId: "1",
      huge: 1,
      ratio: 1.5,
      open: true,
      raw: "aGk=",
      unit: "UNIT_METRIC",
      units: ["UNIT_METRIC"],
      counts: { a: 1 },
      byNumber: { 1: {} },
      list: [{}],
      text: "a",
      at: "2026-01-31T12:00:00Z",
      takes: "1s",
      free: {},
      anyJson: [],
      any: { "@type": "type.googleapis.com/demo.v1.Inner" },
      maybe: "a",
      maybeBig: 1,
      mask: "text",
      inner: { n: 1 },
    };
    const { properties } = schemaOf("Types");
    expect(Object.keys(examples).sort()).toEqual(Object.keys(properties as object).sort());
    const { text: _one, ...others } = examples;
    expect(() => fromJson(messageOf("demo.v1.All"), others, { registry: REGISTRY })).not.toThrow();
  });
});
