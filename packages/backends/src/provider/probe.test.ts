import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CheckRequestSchema, CheckResponseSchema } from "@toolgate/contract";
import { applyCommand, EMPTY_SNAPSHOT, type JsonObject, type Snapshot } from "@toolgate/core";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
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

interface Registered {
  readonly addresses: readonly string[];
  /** "provider" where unset. */
  readonly kind?: string;
}

/** A registry in which processes at these addresses serve the tools "up" and "down" of the toolset "demo". */
function registryOf({ addresses, kind = "provider" }: Registered): Snapshot {
  const backend = { kind, name: "x", settings: {} };
  const offer = anOffer({ tools: ["up", "down"].map((name) => aTool({ name, backend })) });
  return addresses.reduce(
    (snapshot, address) => applyCommand(snapshot, aRegister({ lease: address, address, toolsets: [offer] })).snapshot,
    EMPTY_SNAPSHOT,
  );
}

function probe(settings: JsonObject, registered: Registered, signal = new AbortController().signal) {
  const clients = createProviderClients();
  undo.push(() => clients.close());
  const snapshot = registryOf(registered);
  return createProviderProbe(clients, () => snapshot).probe({ kind: "provider", settings }, signal);
}

describe("the check of a provider", () => {
  it("is what the provider says of the tool, or of itself", async () => {
    const address = await startChecker((tool) => saying({ available: tool === "up", reason: `"${tool}" is tired` }));
    const registered = { addresses: [address] };
    expect(await probe({ tool: "up" }, registered)).toEqual({ ok: true });
    expect(await probe({ tool: "down" }, registered)).toEqual({
      ok: false,
      reason: `the provider at ${address} says: "down" is tired`,
    });
    expect(await probe({ toolset: "demo" }, registered)).toMatchObject({ reason: expect.stringContaining('""') });
  });

  it("is yes when one instance says so, whatever becomes of the others", async () => {
    const good = await startChecker(() => saying({ available: true }));
    const silent = await startChecker(() => undefined);
    const bad = await startChecker(() => saying({ reason: "no database" }));
    const dead = `127.0.0.1:${await deadPort()}`;
    expect(await probe({ tool: "up" }, { addresses: [silent, dead, bad, good] })).toEqual({ ok: true });
    const result = await probe({ tool: "up" }, { addresses: [dead, bad] });
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(`${bad} says: no database`) });
    expect(result).toMatchObject({ reason: expect.stringContaining(`${dead} cannot be reached: connection refused`) });
  });

  it.each<[string, Answer, string]>([
    ["a status", { code: 13 }, "answered INTERNAL"],
    ["UNIMPLEMENTED", { code: 12 }, "has no Check"],
    ["nonsense", Buffer.from([0xff]), "no CheckResponse"],
    ["too much", Buffer.alloc(5_000_000), "too large"],
    ["no reason", saying({ available: false }), "cannot be used"],
  ])("fails in words when the answer is %s", async (_what, answer, words) => {
    const addresses = [await startChecker(() => answer)];
    expect(await probe({ tool: "up" }, { addresses })).toMatchObject({
      ok: false,
      reason: expect.stringContaining(words),
    });
  });

  it("asks nobody whose address was not looked at, or who is not registered", async () => {
    const nobody = { ok: false, reason: "no process that could be asked is registered" };
    const address = await startChecker(() => saying({ available: true }));
    expect(await probe({ tool: "up" }, { addresses: [address], kind: "http" })).toEqual(nobody);
    expect(await probe({ tool: "gone" }, { addresses: [address] })).toEqual(nobody);
    expect(await probe({ toolset: "gone" }, { addresses: [address] })).toEqual(nobody);
  });

  it("ends when the signal aborts", async () => {
    const asked = Promise.withResolvers<void>();
    const address = await startChecker(() => {
      asked.resolve();
      return undefined;
    });
    const attempt = new AbortController();
    const result = probe({ tool: "up" }, { addresses: [address] }, attempt.signal);
    await asked.promise;
    attempt.abort();
    expect(await result).toMatchObject({ ok: false, reason: expect.stringContaining("in time") });
  });
});
