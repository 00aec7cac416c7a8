import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { aTool } from "@toolgate/testkit/builders";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { DESCRIPTORS, grpcTool, PROTO_FILE } from "../../test/grpc-tool.ts";
import { createGrpcBackend, grpcToolKind } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolgate-kind-"));
const backend = createGrpcBackend();
afterAll(() => {
  rmSync(folder, { recursive: true });
  return backend.close();
});
beforeAll(() => grpcToolKind.prepare("proto_file: x"));

const CALL = { target: "localhost:50051", method: "demo.v1.Demo/Types" };
const schema = z.strictObject(grpcToolKind.shape);

function toBackend(keys: Record<string, unknown>, resolvePath = (path: string) => join(folder, path)) {
  return grpcToolKind.toBackend(schema.parse(keys), { toolName: "t", resolvePath });
}

describe("a grpc tool in a tool file", () => {
  it("names its backend by the target, or as it says", () => {
    expect(toBackend(CALL)).toEqual({
      kind: "grpc",
      name: "localhost:50051",
      settings: { ...CALL, tls: false, metadata: {}, emit_defaults: false },
    });
    expect(toBackend({ ...CALL, backend: "weather" })).toMatchObject({ name: "weather" });
  });

  it("takes its descriptors from a set, a path relative to the tool file", () => {
    writeFileSync(join(folder, "demo.binpb"), Buffer.from(DESCRIPTORS, "base64"));
    const spec = toBackend({ ...CALL, descriptor_set_file: "demo.binpb" });
    expect(spec.settings).toMatchObject({ descriptor_set: DESCRIPTORS });
    expect(spec.settings).not.toHaveProperty("descriptor_set_file");
    expect(grpcToolKind.inputSchema(spec)).toMatchObject({ properties: { cityName: { type: "string" } } });
  });

  it("takes its descriptors from a proto file", () => {
    const spec = toBackend({ ...CALL, proto_file: PROTO_FILE }, (path) => path);
    expect(spec.settings).toMatchObject({ descriptor_set: DESCRIPTORS });
    const other = toBackend({ ...CALL, proto_file: PROTO_FILE, proto_path: dirname(PROTO_FILE) }, (path) => path);
    expect(other).toEqual(spec);
  });

  it("has no schema of its own without descriptors", () => {
    expect(grpcToolKind.inputSchema(toBackend(CALL))).toBeUndefined();
  });

  it.each([
    [{ descriptor_set_file: "none" }, /"none" is not there/],
    [{ descriptor_set_file: "a", proto_file: "b" }, /leave one of them out/],
    [{ proto_path: "a" }, /with "proto_file" only/],
    [{ proto_file: "none.proto" }, /"proto_file": none\.proto is not there/],
  ])("is refused in words, without a path of this machine: %j", (keys, words) => {
    expect(() => toBackend({ ...CALL, ...keys })).toThrow(words);
    expect(() => toBackend({ ...CALL, ...keys })).not.toThrow(folder);
  });

  it("has keys that an editor can be told of", () => {
    const described = z.toJSONSchema(schema, { io: "input" });
    expect(described).toMatchObject({ required: ["target", "method"], properties: { tls: { default: false } } });
  });
});

describe("a definition for the grpc backend", () => {
  const problemsOf = (settings: Record<string, unknown>) =>
    backend.inspect(aTool({ backend: { kind: "grpc", name: "x", settings: settings as never } }));

  it("is fine with or without descriptors", () => {
    expect(backend.inspect(grpcTool("localhost:1"))).toEqual([]);
    expect(problemsOf(CALL)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["/target", { target: "http://localhost:1" }, /host:port/],
    ["/target", { target: "unix:/tmp/x" }, /host:port/],
    ["/method", { method: "Demo.Types" }, /package\.Service\/Method/],
    ["/tls", { tls: "yes" }, /boolean/],
    ["/metadata/grpc-timeout", { metadata: { "grpc-timeout": "1S" } }, /belongs to the protocol/],
    ["/metadata/X-Key", { metadata: { "X-Key": "a" } }, /metadata key/],
    ["/metadata/x-key", { metadata: { "x-key": "hunter2\n" } }, /character/],
    ["/metadata/x-bin", { metadata: { "x-bin": "hunter2!" } }, /base64/],
    ["/idempotency_metadata", { idempotency_metadata: "te" }, /Not possible/],
    ["/descriptor_set", { descriptor_set: "aGVsbG8=" }, /no google\.protobuf\.FileDescriptorSet/],
    ["/descriptor_set", { descriptor_set: "" }, /no file/],
    [
      "/method",
      { descriptor_set: DESCRIPTORS, method: "demo.v1.Other/Types" },
      /no service demo\.v1\.Other\. Services: demo\.v1\.Demo/,
    ],
    ["/method", { descriptor_set: DESCRIPTORS, method: "demo.v1.Demo/Watch" }, /server streaming/],
    ["/method", { descriptor_set: DESCRIPTORS, method: "demo.v1.Demo/Collect" }, /client streaming/],
    ["/method", { descriptor_set: DESCRIPTORS, method: "demo.v1.Demo/When" }, /no object in JSON/],
    ["", { proto_file: "x" }, /proto_file/],
  ])("is refused at %s", (path, settings, words) => {
    const problems = problemsOf({ ...CALL, ...settings });
    expect(problems).toEqual([{ path: `/backend/settings${path}`, message: expect.stringMatching(words) }]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });
});
