import { status } from "@grpc/grpc-js";
import { expect, vi } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { observed } from "./harness/connections.ts";
import { eventually } from "./harness/eventually.ts";
import { type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

// On a busy machine so many calls take their time.
vi.setConfig({ testTimeout: 90_000 });

const CANCELLED = 5_000;
const AT_ONCE = 500;
const IN_FLIGHT = 20;

verifies("call.grpc.cancel-storm", async () => {
  const hanging = await httpBackend(() => "hang");
  const release = Promise.withResolvers<void>();
  const working = await httpBackend(async () => {
    await release.promise;
    return json({ done: true });
  });
  const gateway = await testGateway({
    tools: {
      "hanging.yaml": httpTool("hanging", hanging.url),
      "working.yaml": httpTool("working", working.url, { timeout: "5m" }),
    },
  });
  const place = await observed(gateway.grpc);
  const client = grpcClient(place.address);
  const others = Promise.allSettled(
    Array.from({ length: IN_FLIGHT }, async () => (await callGrpc(client, asText("working"))).payload.value),
  );
  await eventually(() => working.requests.length).toBe(IN_FLIGHT);

  for (let cancelled = 0; cancelled < CANCELLED; cancelled += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, () => startCall(client, asText("hanging")));
    // Only a call that the gateway has seen costs a stream when it is cancelled.
    await eventually(() => inFlight(gateway)).toBe(IN_FLIGHT + AT_ONCE);
    // Last ones first: they still wait for a connection to the backend, so none is opened for them.
    for (const call of calls.toReversed()) call.cancel();
    const codes = await Promise.all(calls.map(async ({ result }) => (await result).error?.code));
    expect(new Set(codes)).toEqual(new Set([status.CANCELLED]));
    await eventually(() => inFlight(gateway)).toBe(IN_FLIGHT);
  }

  release.resolve();
  const done = { status: "fulfilled", value: '{"done":true}' };
  expect(await others).toEqual(Array.from({ length: IN_FLIGHT }, () => done));
  expect([place.connections, place.goaways]).toEqual([1, 0]);
});

async function inFlight({ admin }: TestGateway): Promise<number> {
  return total(await readMetrics(admin), "toolgate_calls_in_flight");
}
