import { expect } from "vitest";
import { asText, callGrpc, startCall } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { callHttp, type TestGatewayOptions, testGateway } from "./harness/gateway.ts";
import { bearer, grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json, type SeenRequest } from "./harness/http-backend.ts";
import { keyedClients, keyOf } from "./harness/keys.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

/** A gateway with the tools "work" and "other", whose backend answers when it is told to. */
async function limited(limits: Record<string, unknown>, { yaml = "" }: Pick<TestGatewayOptions, "yaml"> = {}) {
  const answers: (() => void)[] = [];
  const backend = await httpBackend(async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return json({ done: true });
  });
  const tools = {
    "work.yaml": httpTool("work", backend.url, limits),
    "other.yaml": httpTool("other", backend.url),
  };
  const gateway = await testGateway({ tools, yaml });
  const client = grpcClient(gateway.grpc);
  const call = (tool = "work", caller?: string) =>
    callGrpc(client, asText(tool, { of: caller }), caller === undefined ? {} : { metadata: bearer(keyOf(caller)) });
  /** Resolves when so many calls have reached the backend. */
  const reached = (count: number) => eventually(() => backend.requests.length).toBe(count);
  const waiting = (count: number) =>
    eventually(async () => total(await readMetrics(gateway.admin), "toolgate_limit_queue_length")).toBe(count);
  const answer = (place: number) => answers[place]?.();
  return { backend, gateway, client, call, reached, waiting, answer };
}

verifies("limits.queue", async () => {
  const { gateway, call, reached, waiting, answer } = await limited({
    limits: { max_concurrent: 1, queue: { max_length: 1 } },
    timeout: "60s",
  });
  const first = call();
  await reached(1);
  const second = call();
  await waiting(1);
  const third = await call();
  expect(third.error).toMatchObject({ code: "OVERLOADED", class: "rate", retryable: true, retryAfterMs: 1_000 });
  expect(third.error?.message).toBe(
    'The one slot of the limit "tool.work.max_concurrent" is busy, and 1 call waits already. Try again later.',
  );
  const { status, headers, envelope } = await callHttp(gateway, { tool: "work" });
  expect([status, headers.get("retry-after"), envelope.error.code]).toEqual([429, "1", "OVERLOADED"]);
  answer(0);
  await reached(2);
  answer(1);
  expect([(await first).status, (await second).status]).toEqual(["success", "success"]);
  expect((await first).meta?.queueMs).toBe(0);
  expect((await second).meta?.queueMs).toBeGreaterThan(0);
});

verifies(
  "limits.queue",
  "a wait that is longer than the tool's timeout is no timeout, and one past max_wait ends",
  async () => {
    const { call, reached, waiting, answer } = await limited({
      limits: { max_concurrent: 1, queue: { max_wait: "20s" } },
      timeout: "1s",
    });
    // The first holds its slot for its whole second; the second waits that long, and then has a second of its own.
    const first = call();
    await reached(1);
    const second = call();
    await waiting(1);
    await reached(2);
    answer(1);
    expect((await first).error?.code).toBe("OUTCOME_UNKNOWN");
    const { status, meta } = await second;
    expect(status).toBe("success");
    expect(meta?.queueMs).toBeGreaterThan(50);

    const slow = await limited({ limits: { max_concurrent: 1, queue: { max_wait: "50ms" } } });
    const holds = slow.call();
    await slow.reached(1);
    const late = await slow.call();
    expect(late.error?.code).toBe("OVERLOADED");
    expect(late.error?.message).toContain("none came free in");
    // A timer of this platform may be a little early.
    expect(late.meta?.queueMs).toBeGreaterThan(48);
    expect(late.meta?.attempts).toBe(0);
    slow.answer(0);
    expect((await holds).status).toBe("success");
  },
);

const NO_QUEUE = "queue: { max_length: 0 }";
const EACH_LEVEL: readonly [name: string, limits: Record<string, unknown>, yaml: string, other: string | undefined][] =
  [
    ["global.max_concurrent", {}, `rate_limits: { global: { max_concurrent: 1, ${NO_QUEUE} } }\n`, "OVERLOADED"],
    [
      "tool.work.max_concurrent",
      {},
      `rate_limits: { per_tool: { work: { max_concurrent: 1, ${NO_QUEUE} } } }\n`,
      undefined,
    ],
    ["tool.work.max_concurrent", { limits: { max_concurrent: 1, queue: { max_length: 0 } } }, "", undefined],
    ["client.max_concurrent", {}, `rate_limits: { per_client: { max_concurrent: 1, ${NO_QUEUE} } }\n`, "OVERLOADED"],
  ];
for (const [name, limits, yaml, other] of EACH_LEVEL) {
  verifies("limits.levels", `${name}, of ${JSON.stringify(limits)} and ${JSON.stringify(yaml)}`, async () => {
    const { call, reached, answer } = await limited(limits, { yaml });
    const first = call();
    await reached(1);
    expect((await call()).error).toMatchObject({ code: "OVERLOADED", message: expect.stringContaining(`"${name}"`) });
    const another = call("other");
    if (other === undefined) {
      await reached(2);
      answer(1);
    }
    expect((await another).error?.code).toBe(other);
    answer(0);
    expect((await first).status).toBe("success");
  });
}

verifies(
  "limits.refused",
  "limits-04 (BerriAI/litellm#39309): not by the rate, for a call that had no slot",
  async () => {
    const { call, reached, answer } = await limited({
      limits: { rate: "2/hour", max_concurrent: 1, queue: { max_length: 0 } },
    });
    const first = call();
    await reached(1);
    expect((await call()).error?.code).toBe("OVERLOADED");
    answer(0);
    expect((await first).status).toBe("success");
    const third = call();
    await reached(2);
    answer(1);
    expect((await third).status).toBe("success");
    expect((await call()).error?.code).toBe("RATE_LIMITED");
  },
);

verifies("limits.fair", async () => {
  const yaml = `rate_limits: { global: { max_concurrent: 1, queue: { max_length: 8 } } }\n${keyedClients({ ann: "", bob: "" })}`;
  const { backend, call, reached, waiting, answer } = await limited({}, { yaml });
  const calls = [call("work", "ann")];
  await reached(1);
  for (let i = 1; i <= 8; i++) {
    calls.push(call("work", "ann"));
    await waiting(i);
  }
  // The queue is full of ann's calls: her newest makes way, and bob is next but one.
  calls.push(call("work", "bob"));
  expect((await calls[8])?.error?.code).toBe("OVERLOADED");
  for (let i = 0; i < 9; i++) {
    await reached(i + 1);
    answer(i);
  }
  await Promise.all(calls);
  const ofWhom = ({ url }: SeenRequest) => new URL(url, "http://h").searchParams.get("of");
  expect(backend.requests.map(ofWhom)).toEqual(["ann", "ann", "bob", ...Array(6).fill("ann")]);
});

verifies("limits.slots-return", "after an answer, an error, a timeout and cancels, waiting or not", async () => {
  const { backend, client, gateway, call, reached, waiting, answer } = await limited({
    limits: { max_concurrent: 1, queue: { max_length: 1 } },
    timeout: "10s",
  });
  const running = startCall(client, asText("work"));
  await reached(1);
  const waits = startCall(client, asText("work"));
  await waiting(1);
  waits.cancel();
  await waiting(0);
  running.cancel();
  await backend.requests[0]?.aborted;
  await Promise.all([running.result, waits.result]);

  const late = callGrpc(client, asText("work"), { options: { deadline: Date.now() + 1_000 } });
  await reached(2);
  expect((await late).error?.code).toBe("OUTCOME_UNKNOWN");

  const abandoned = new AbortController();
  const viaHttp = callHttp(gateway, { tool: "work" }, { signal: abandoned.signal }).catch(() => "gone");
  await reached(3);
  abandoned.abort();
  expect(await viaHttp).toBe("gone");

  backend.script = () => "drop";
  expect((await call()).error?.code).toBe("OUTCOME_UNKNOWN");
  backend.script = () => json({}, 500);
  expect((await call()).error?.code).toBe("TOOL_ERROR");
  backend.script = () => json({ ok: true });
  const { status, meta } = await call();
  expect([status, meta?.limits[0]?.remaining]).toEqual(["success", 0]);
  for (const place of [0, 1, 2]) answer(place);
});

verifies("limits.queue", "a caller's deadline ends its wait with an envelope that says so", async () => {
  const { client, call, reached, answer } = await limited({ limits: { max_concurrent: 1 } });
  const holds = call();
  await reached(1);
  const late = await callGrpc(client, asText("work"), { options: { deadline: Date.now() + 1_000 } });
  expect(late.error?.code).toBe("OVERLOADED");
  answer(0);
  expect((await holds).status).toBe("success");
});
