import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CheckRequestSchema, CheckResponseSchema } from "@toolgate/contract";
import type { JsonObject } from "@toolgate/core";
import { afterEach, describe, expect, it } from "vitest";
import { type Answer, GrpcServer } from "../../test/grpc-server.ts";
import { deadPort } from "../../test/http-server.ts";
import { createProviderClients, createProviderProbe } from "./index.ts";

const CHECK = "/toolgate.v1.ToolProviderService/Check";
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0)) await step();
});

async function startChecker(answer: (tool: string) => Answer): Promise<string> {
  const server = await GrpcServer.start({
    [CHECK]: ({ message }) => answer(fromBinary(CheckRequestSchema, message).tool),
  });
  undo.push(() => server.stop());
  return server.address;
}

const saying = (parts: { available?: boolean; reason?: string }): Buffer =>
  Buffer.from(toBinary(CheckResponseSchema, create(CheckResponseSchema, parts)));

function probe(settings: JsonObject, signal = new AbortController().signal) {
  const clients = createProviderClients();
  undo.push(() => clients.close());
  return createProviderProbe(clients).probe({ kind: "provider", settings }, signal);
}

describe("the check of a provider", () => {
  it("is what the provider says of the tool", async () => {
    const address = await startChecker((tool) => saying({ available: tool === "up", reason: `${tool} is tired` }));
    expect(await probe({ address, tool: "up" })).toEqual({ ok: true });
    expect(await probe({ address, tool: "down" })).toEqual({
      ok: false,
      reason: `the provider at ${address} says: down is tired`,
    });
    expect(await probe({ address })).toMatchObject({ ok: false });
  });

  it.each<[string, Answer, string]>([
    ["a status", { code: 13 }, "answered INTERNAL"],
    ["UNIMPLEMENTED", { code: 12 }, "has no Check"],
    ["nonsense", Buffer.from([0xff]), "no CheckResponse"],
    ["no reason", saying({ available: false }), "cannot be used"],
  ])("fails in words when the answer is %s", async (_what, answer, words) => {
    const address = await startChecker(() => answer);
    expect(await probe({ address })).toMatchObject({ ok: false, reason: expect.stringContaining(words) });
  });

  it("fails when nobody is there, or no address is given", async () => {
    const result = await probe({ address: `127.0.0.1:${await deadPort()}` });
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("connection refused") });
    expect(await probe({})).toMatchObject({ ok: false });
    expect(await probe({ address: "unix:/x" })).toMatchObject({ ok: false });
  });

  it("ends when the signal aborts", async () => {
    const asked = Promise.withResolvers<void>();
    const address = await startChecker(() => {
      asked.resolve();
      return undefined;
    });
    const attempt = new AbortController();
    const result = probe({ address }, attempt.signal);
    await asked.promise;
    attempt.abort();
    expect(await result).toMatchObject({ ok: false, reason: expect.stringContaining("in time") });
  });
});
