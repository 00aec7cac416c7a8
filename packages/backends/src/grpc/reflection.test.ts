import { clone, create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Backend, JsonObject } from "@toolgate/core";
import { anInvocation, cancel, timeOut } from "@toolgate/testkit/backend-suite";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf, textOf } from "../../test/calling.ts";
import { GrpcServer, type Handle } from "../../test/grpc-server.ts";
import { type DemoMethods, FILES, grpcTool, startDemo } from "../../test/grpc-tool.ts";
import { deadPort } from "../../test/http-server.ts";
import { createGrpcBackend } from "./index.ts";

const PATIENCE = { timeout: 5_000 };
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

function newBackend(): Backend {
  const backend = createGrpcBackend();
  undo.push(() => backend.close());
  return backend;
}

async function kept(starting: Promise<GrpcServer>): Promise<GrpcServer> {
  const server = await starting;
  undo.push(() => server.stop());
  return server;
}

/** A tool without descriptors of its own. */
function toolAt(address: string, settings: JsonObject = {}) {
  const { backend, ...tool } = grpcTool(address, settings);
  const { descriptor_set: _none, ...rest } = backend?.settings ?? {};
  return { ...tool, backend: { kind: "grpc", name: address, settings: rest } };
}

const echo: DemoMethods = { Types: (json) => ({ json }), Echo: (json) => ({ json }) };
const TYPES = { method: "demo.v1.Demo/Types" };
const path = (version: string) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;

describe("a tool without descriptors", () => {
  it("asks the service's reflection, once for all calls", async () => {
    const server = await kept(startDemo(echo, FILES));
    const backend = newBackend();
    const tool = toolAt(server.address, TYPES);
    const replies = await Promise.all([1, 2, 3].map((days) => textOf(backend, tool, { days })));
    expect(replies.map(({ text }) => text)).toEqual(['{"days":1}', '{"days":2}', '{"days":3}']);
    expect((await textOf(backend, tool, { at: "2026-01-31T12:00:00Z" })).text).toBe('{"at":"2026-01-31T12:00:00Z"}');
  });

  it("asks each server once, whatever the number of tools", async () => {
    let asked = 0;
    const server = await kept(startRaw({ v1: counting(() => (asked += 1)) }));
    const backend = newBackend();
    await textOf(backend, toolAt(server.address));
    await textOf(backend, toolAt(server.address));
    await textOf(backend, toolAt(server.address, TYPES));
    expect(asked).toBe(1);
  });

  it("asks the older version where the server has no other, and for files that were not sent along", async () => {
    const files = withDependency();
    const server = await kept(startRaw({ v1alpha: fileByFile(files) }));
    expect((await textOf(newBackend(), toolAt(server.address), { a: 1 })).text).toBe('{"a":1}');
    expect(server.seen.filter(({ path: seen }) => seen === path("v1alpha"))).toHaveLength(2);
  });

  it("asks again over a new connection, and sees what has changed", async () => {
    const renamed = FILES.map((file) => clone(FileDescriptorProtoSchema, file));
    const field = renamed[0]?.messageType.find(({ name }) => name === "All")?.field[0];
    if (field !== undefined) Object.assign(field, { name: "town", jsonName: "town" });
    const old = await startDemo(echo, FILES);
    const backend = newBackend();
    const tool = toolAt(old.address, TYPES);
    expect((await textOf(backend, tool, { cityName: "a" })).text).toBe('{"cityName":"a"}');
    await old.stop();
    await kept(startDemo({ Types: (json) => ({ json }) }, renamed, old.port));
    await expect
      .poll(() => textOf(backend, tool, { town: "b" }).catch(({ code }) => code), PATIENCE)
      .toMatchObject({ text: '{"town":"b"}' });
  });

  it("asks again after a method was missed that was there before", async () => {
    let asked = 0;
    const server = await kept(startRaw({ v1: counting(() => (asked += 1)) }, () => ({ code: 12 })));
    const backend = newBackend();
    expect(await errorOf(backend, toolAt(server.address))).toMatchObject({ code: "TOOL_ERROR" });
    expect(await errorOf(backend, toolAt(server.address))).toMatchObject({ code: "TOOL_ERROR" });
    expect(asked).toBe(2);
  });

  it("is told what to do where the server has no reflection", async () => {
    const server = await kept(startDemo(echo));
    const error = await errorOf(newBackend(), toolAt(server.address));
    expect(error).toMatchObject({ code: "TOOL_ERROR", retryable: false });
    expect(error.message).toMatch(/no reflection.*descriptor_set_file/);
    expect(server.seen).toEqual([]);
  });

  it.each([
    ["no.Such/Call", /not known/],
    ["demo.v1.Demo/Missing", /no method Missing\. Methods: Echo, Types/],
    ["demo.v1.Demo/Watch", /streams \(server streaming\): only unary/],
    ["demo.v1.Demo/When", /takes a google\.protobuf\.Timestamp/],
  ])("is told why %s cannot be called", async (method, words) => {
    const server = await kept(startDemo(echo, FILES));
    const error = await errorOf(newBackend(), toolAt(server.address, { method }));
    expect(error).toMatchObject({ code: "TOOL_ERROR", message: expect.stringMatching(words) });
  });

  it("was not called where nobody is there to be asked", async () => {
    const error = await errorOf(newBackend(), toolAt(`127.0.0.1:${await deadPort()}`));
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("refused") });
  });

  it.each<[string, Handle]>([
    ["breaks off", (call) => void call.cut()],
    ["sends nonsense", () => Buffer.from([0xff, 0xff])],
  ])("was not called where the reflection %s, and asks again next time", async (_what, answer) => {
    let asked = 0;
    const server = await kept(startRaw({ v1: (call) => (asked++ === 0 ? answer(call) : fileByFile(FILES)(call)) }));
    const backend = newBackend();
    const error = await errorOf(backend, toolAt(server.address));
    expect(error).toMatchObject({ code: "BACKEND_UNREACHABLE", message: expect.stringContaining("reflection") });
    expect((await textOf(backend, toolAt(server.address), { a: 1 })).text).toBe('{"a":1}');
  });

  it("tells a status of the reflection as it is", async () => {
    const server = await kept(startRaw({ v1: () => ({ code: 16, details: "who are you" }) }));
    expect(await errorOf(newBackend(), toolAt(server.address))).toMatchObject({
      code: "TOOL_ERROR",
      details: { backendAnswer: { status: "UNAUTHENTICATED" } },
    });
  });

  it("is told where what the server sends is of no use", async () => {
    const [demo] = FILES;
    const alone = demo === undefined ? [] : [clone(FileDescriptorProtoSchema, demo)];
    alone[0]?.dependency.push("not/there.proto");
    const server = await kept(startRaw({ v1: fileByFile(alone) }));
    expect(await errorOf(newBackend(), toolAt(server.address))).toMatchObject({
      code: "TOOL_ERROR",
      message: expect.stringContaining("not/there.proto"),
    });
  });

  it.each([
    [timeOut, "BACKEND_UNREACHABLE"],
    [cancel, "CANCELLED"],
  ] as const)("was not called when it is given up while the server is asked", async (end, code) => {
    const server = await kept(startRaw({ v1: () => undefined }));
    const attempt = new AbortController();
    const tool = toolAt(server.address);
    const ending = newBackend()
      .invoke(anInvocation(tool, {}, { signal: attempt.signal }))
      .catch((error: unknown) => error);
    await expect.poll(() => server.seen.length, PATIENCE).toBe(1);
    end(attempt);
    expect(await ending).toMatchObject({ code });
  });
});

/** A server of Echo whose reflection the test speaks itself. */
function startRaw(reflection: Readonly<Record<string, Handle>>, echoing: Handle = ({ message }) => message) {
  const versions = Object.entries(reflection).map(([version, handle]) => [path(version), handle]);
  const methods = { "/demo.v1.Demo/Echo": echoing, "/demo.v1.Demo/Types": echoing };
  return GrpcServer.start({ ...methods, ...Object.fromEntries(versions) });
}

function counting(count: () => void): Handle {
  return (call) => {
    count();
    return fileByFile(FILES)(call);
  };
}

/** Answers each question with the one file that was asked for. */
function fileByFile(files: readonly FileDescriptorProto[]): Handle {
  return ({ message }) => {
    const [field, length] = [(message[0] ?? 0) >> 3, message[1] ?? 0];
    const name = message.subarray(2, 2 + length).toString();
    const file = field === 4 ? files[0] : files.find((candidate) => candidate.name === name);
    return file === undefined ? notFound(name) : encodeFiles([file]);
  };
}

function encodeFiles(files: readonly FileDescriptorProto[]): Buffer {
  const response = new BinaryWriter();
  for (const file of files) response.tag(1, 2).bytes(toBinary(FileDescriptorProtoSchema, file));
  return Buffer.from(new BinaryWriter().tag(4, 2).bytes(response.finish()).finish());
}

function notFound(name: string): Buffer {
  const error = new BinaryWriter().tag(1, 0).int32(5).tag(2, 2).string(`${name} not found`).finish();
  return Buffer.from(new BinaryWriter().tag(7, 2).bytes(error).finish());
}

/** The demo service, with a file of its own that it imports. */
function withDependency(): readonly FileDescriptorProto[] {
  const [demo] = FILES.map((file) => clone(FileDescriptorProtoSchema, file));
  if (demo === undefined) return [];
  const extra = create(FileDescriptorProtoSchema, { name: "extra.proto", package: "extra", syntax: "proto3" });
  demo.dependency.push(extra.name);
  return [demo, extra];
}
