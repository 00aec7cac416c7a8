import {
  type Call,
  checkKey,
  type Envelope,
  fail,
  type LimitPlan,
  type LimitsSpec,
  limitsOf,
  ok,
  planOf,
  type ReadyCall,
  type ToolEntry,
  ToolgateError,
} from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { aCall, anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { describe, expect, it } from "vitest";
import { type Family, readExposition } from "../../test/exposition.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { METRICS } from "./names.ts";

const check = { kind: "env", settings: { name: "KEY" } };

async function open() {
  const store = createMemoryRegistryStore({ epoch: "one" });
  await store.apply(aRegister({ lease: "1", toolsets: [anOffer({ tools: ["echo", aTool({ name: "add" })] })] }));
  await store.apply(aRegister({ lease: "2", toolsets: [anOffer({ name: "web", check, tools: ["search"] })] }));
  const metrics = createMetrics(store);
  metrics.watchers(() => 3);
  metrics.cache({ bytes: 2_048, entries: 2 })("echo", "hit");
  return { store, metrics };
}

async function families(metrics: Metrics): Promise<ReadonlyMap<string, Family>> {
  return readExposition((await metrics.expose()).text);
}

async function valuesOf(metrics: Metrics, name: string): Promise<[Record<string, string>, number][]> {
  const samples = (await families(metrics)).get(name)?.samples ?? expect.fail(`There is no metric ${name}.`);
  return samples.map(({ labels, value }) => [labels, value]);
}

const rpc = { type: "unary", service: "toolgate.v1.ToolGatewayService", name: "Call" } as const;

/** Has a call end. */
function end(metrics: Metrics, call: Call, entry: ToolEntry | undefined, error?: ToolgateError): Envelope {
  const ending = { call, entry, now: 500 };
  const envelope = error === undefined ? ok({ kind: "success", data: { value: 1 } }, ending) : fail(error, ending);
  metrics.calls.started(call);
  metrics.calls.ended({ call, entry, envelope });
  return envelope;
}

/** Has a call of this tool be let through by its limits, after a wait. */
function limited(
  metrics: Metrics,
  name: string,
  spec: LimitsSpec,
): { readonly call: ReadyCall; readonly plan: LimitPlan } {
  const call = aReadyCall({ tool: aTool({ name }) });
  const plan = planOf(limitsOf("tool", name, spec)) ?? expect.fail("There are no limits.");
  for (const limit of plan.slots) {
    metrics.limits.waiting(limit, 1);
    metrics.limits.waiting(limit, -1);
  }
  metrics.limits.decided({ call, plan, exceeded: [] });
  return { call, plan };
}

/** Uses every metric once. */
function exercise(metrics: Metrics, entry: ToolEntry | undefined): void {
  end(metrics, aCall({ trail: { ...aCall().trail, attempts: 1, backendMs: 20 } }), entry);
  metrics.registration({ tool: "echo", status: "registered" });
  metrics.loop({ pattern: "repeat", action: "warn", times: 3, length: 1 }, "echo");
  metrics.audit("dropped", "queue_full", 2);
  metrics.auditWaiting(() => 1);
  metrics.batches("echo", 3);
  metrics.reported("success");
  const observer = metrics.rpcs(rpc);
  observer.started();
  observer.received();
  observer.sent();
  observer.handled(0, 0.1);
  limited(metrics, "echo", { maxConcurrent: 1 });
}

describe("metrics", () => {
  it("are what names.ts says: name, type, help and labels", async () => {
    const { metrics, store } = await open();
    exercise(metrics, store.snapshot().tools.get("echo"));
    const own = [...(await families(metrics))].filter(([name]) => /^(toolgate|grpc)_/.test(name));
    const exposed = own.map(([name, { type, help, samples }]) => {
      const labels = Object.keys(samples[0]?.labels ?? {}).filter((label) => label !== "le");
      return [name, { type, help, labels: labels.sort() }] as const;
    });
    const expected = Object.entries(METRICS).map(([name, { labels, ...facts }]) => {
      return [name, { ...facts, labels: [...labels].sort() }] as const;
    });
    expect(Object.fromEntries(exposed)).toEqual(Object.fromEntries(expected));
  });

  it("are exposed as text that keeps the rules of the format and of Prometheus's names", async () => {
    const { metrics, store } = await open();
    exercise(metrics, store.snapshot().tools.get("echo"));
    expect((await metrics.expose()).contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const [name, { type, help, samples }] of await families(metrics)) {
      expect(["counter", "gauge", "histogram", "summary"], name).toContain(type);
      expect(help, name).not.toBe("");
      expect(name.endsWith("_total"), name).toBe(type === "counter");
      for (const { value } of samples.filter(() => type !== "gauge")) expect(value, name).toBeGreaterThanOrEqual(0);
    }
  });

  it("have histograms whose buckets grow and end in the count", async () => {
    const { metrics, store } = await open();
    const entry = store.snapshot().tools.get("echo");
    for (const receivedAt of [499, 400, -59_600]) end(metrics, aCall({ receivedAt }), entry);
    const { samples = [] } = (await families(metrics)).get("toolgate_call_duration_seconds") ?? {};
    const buckets = samples.filter(({ name }) => name.endsWith("_bucket"));
    const counts = buckets.map(({ value }) => value);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(buckets.at(-1)).toMatchObject({ labels: { le: "+Inf" }, value: 3 });
    expect(samples.find(({ name }) => name.endsWith("_sum"))?.value).toBeCloseTo(60.201);
    // A minute is the usual longest call of a tool, and still has a bucket of its own.
    expect(buckets.at(-2)?.labels.le).toBe("60");
  });
});

describe("metrics of calls", () => {
  it("count each call by tool and by how it ended", async () => {
    const { metrics, store } = await open();
    const entry = store.snapshot().tools.get("echo");
    end(metrics, aCall(), entry);
    end(metrics, aCall(), entry, new ToolgateError("RATE_LIMITED", "wait"));
    const tool = { tool: "echo", toolset: "demo", backend: "http:demo.example" };
    expect(await valuesOf(metrics, "toolgate_calls_total")).toEqual([
      [{ ...tool, outcome: "success" }, 1],
      [{ ...tool, outcome: "RATE_LIMITED" }, 1],
    ]);
  });

  it("never make a label of what a caller invents", async () => {
    const { metrics } = await open();
    const invented = ['x"}\nevil 1', "__proto__", "y".repeat(10_000)];
    for (const name of invented) {
      const call = aCall({
        target: { kind: "tool", name },
        callId: name,
        sessionId: name,
        caller: { id: name, admin: false },
      });
      end(metrics, call, undefined, new ToolgateError("TOOL_NOT_FOUND", name));
    }
    expect(await valuesOf(metrics, "toolgate_calls_total")).toEqual([
      [{ tool: "", toolset: "", backend: "", outcome: "TOOL_NOT_FOUND" }, 3],
    ]);
    const { text } = await metrics.expose();
    for (const part of ["evil", "__proto__", "yyy"]) expect(text).not.toContain(part);
  });

  it("say how many run now", async () => {
    const { metrics } = await open();
    metrics.calls.started(aCall());
    metrics.calls.started(aCall());
    expect(metrics.callsInFlight()).toBe(2);
    expect(await valuesOf(metrics, "toolgate_calls_in_flight")).toEqual([[{}, 2]]);
    end(metrics, aCall(), undefined);
    expect(metrics.callsInFlight()).toBe(2);
  });

  it("time the backend only where it was called", async () => {
    const { metrics, store } = await open();
    const entry = store.snapshot().tools.get("echo");
    end(metrics, aCall(), entry, new ToolgateError("TOOL_UNAVAILABLE", "off"));
    expect(await valuesOf(metrics, "toolgate_backend_duration_seconds")).toEqual([]);
    end(metrics, aCall({ trail: { ...aCall().trail, attempts: 2, backendMs: 250 } }), entry);
    const sum = (await valuesOf(metrics, "toolgate_backend_duration_seconds")).at(-2);
    expect(sum).toEqual([{ backend: "http:demo.example" }, 0.25]);
  });
});

describe("metrics of the registry", () => {
  it("say what is there now", async () => {
    const { metrics, store } = await open();
    const read = async (name: string) => (await valuesOf(metrics, `toolgate_registry_${name}`))[0]?.[1];
    expect(await Promise.all(["tools", "toolsets", "leases", "generation"].map(read))).toEqual([3, 2, 2, 2]);
    await store.apply({ type: "deregister", leaseId: "1", registrantId: "alice", tools: [] });
    expect(await Promise.all(["tools", "toolsets", "leases", "generation"].map(read))).toEqual([1, 1, 1, 3]);
    expect(await valuesOf(metrics, "toolgate_watchers")).toEqual([[{}, 3]]);
  });

  it("say the one state that each toolset is in, and forget toolsets that are gone", async () => {
    const { metrics, store } = await open();
    const name = "toolgate_toolset_health";
    expect(await valuesOf(metrics, name)).toEqual([
      [{ toolset: "demo", state: "healthy" }, 1],
      [{ toolset: "web", state: "unknown" }, 1],
    ]);
    await store.apply({
      type: "setHealth",
      checkKey: checkKey(check),
      health: { state: "unavailable", reason: "no KEY" },
    });
    await store.apply({ type: "deregister", leaseId: "1", registrantId: "alice", tools: [] });
    expect(await valuesOf(metrics, name)).toEqual([[{ toolset: "web", state: "unavailable" }, 1]]);
  });

  it("count registrations by outcome and reason", async () => {
    const { metrics } = await open();
    metrics.registration({ tool: "a", status: "registered" });
    metrics.registration({ tool: 'b"\n', status: "refused", reason: "NAME_TAKEN", message: "taken" });
    expect(await valuesOf(metrics, "toolgate_registrations_total")).toEqual([
      [{ outcome: "registered", reason: "" }, 1],
      [{ outcome: "refused", reason: "NAME_TAKEN" }, 1],
    ]);
  });
});

describe("metrics of limits", () => {
  const name = "toolgate_limit_decisions_total";

  it("count what each limit of a call said", async () => {
    const { metrics } = await open();
    const { call, plan } = limited(metrics, "echo", { maxConcurrent: 1, maxQps: 1 });
    limited(metrics, "echo", { maxConcurrent: 1 });
    const [rate] = plan.inForce;
    if (rate !== undefined) metrics.limits.decided({ call, plan, refusedBy: rate, exceeded: [] });
    expect(await valuesOf(metrics, name)).toEqual([
      [{ limit: "tool.max_qps", tool: "echo", decision: "admitted" }, 1],
      [{ limit: "tool.max_concurrent", tool: "echo", decision: "admitted" }, 2],
      [{ limit: "tool.max_qps", tool: "echo", decision: "refused" }, 1],
    ]);
  });

  it("tell what limits in shadow would have refused", async () => {
    const { metrics } = await open();
    const { call, plan } = limited(metrics, "echo", { maxConcurrent: 1, maxQps: 1, shadow: true });
    metrics.limits.decided({ call, plan, exceeded: plan.inShadow.slice(0, 1) });
    expect(await valuesOf(metrics, name)).toEqual([
      [{ limit: "tool.max_qps", tool: "echo", decision: "admitted" }, 1],
      [{ limit: "tool.max_concurrent", tool: "echo", decision: "admitted" }, 2],
      [{ limit: "tool.max_qps", tool: "echo", decision: "shadow" }, 1],
    ]);
  });

  it("say how many calls wait now, at any limit of a level", async () => {
    const { metrics } = await open();
    for (const tool of ["echo", "add"]) {
      for (const limit of limited(metrics, tool, { maxConcurrent: 1 }).plan.slots) metrics.limits.waiting(limit, 1);
    }
    expect(await valuesOf(metrics, "toolgate_limit_queue_length")).toEqual([
      [{ limit: "global.max_concurrent" }, 0],
      [{ limit: "tool.max_concurrent" }, 2],
      [{ limit: "client.max_concurrent" }, 0],
    ]);
  });

  it("go with their tool", async () => {
    const { metrics } = await open();
    limited(metrics, "gone", { maxQps: 1 });
    expect(await valuesOf(metrics, name)).toEqual([]);
  });
});

describe("metrics of rpcs", () => {
  it("count them as the usual gRPC metrics do, codes by their usual names", async () => {
    const { metrics } = await open();
    exercise(metrics, undefined);
    metrics.rpcs(rpc).handled(14, 0.2);
    metrics.rpcs(rpc).handled(99, 0.2);
    const labels = { grpc_type: "unary", grpc_service: rpc.service, grpc_method: "Call" };
    expect(await valuesOf(metrics, "grpc_server_handled_total")).toEqual([
      [{ ...labels, grpc_code: "OK" }, 1],
      [{ ...labels, grpc_code: "Unavailable" }, 1],
      [{ ...labels, grpc_code: "Unknown" }, 1],
    ]);
    for (const name of ["started", "msg_received", "msg_sent"]) {
      expect(await valuesOf(metrics, `grpc_server_${name}_total`)).toEqual([[labels, 1]]);
    }
  });
});

describe("tools that come and go", () => {
  it("take their series with them", async () => {
    const { store, metrics } = await open();
    const entry = store.snapshot().tools.get("search") as ToolEntry;
    end(metrics, aCall({}), entry);
    metrics.loop({ pattern: "cycle", action: "refuse", times: 4, length: 2 }, "search");
    const loop = { tool: "search", pattern: "cycle", action: "refuse" };
    expect(await valuesOf(metrics, "toolgate_loops_total")).toEqual([[loop, 1]]);
    expect(await valuesOf(metrics, "toolgate_calls_total")).toHaveLength(1);
    await store.apply({
      type: "deregister",
      leaseId: "2",
      registrantId: aRegister({ lease: "2" }).registrant.id,
      tools: [],
    });
    expect(store.snapshot().tools.has("search")).toBe(false);
    const exposed = (await metrics.expose()).text;
    expect(exposed).not.toMatch(/tool="search"|toolset="web"/);
  });
});
