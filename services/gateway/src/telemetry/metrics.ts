import {
  type BatchObserver,
  backendLabel,
  type CacheObserver,
  type CallObserver,
  type LimitObserver,
  type Loop,
  type RegisterOutcome,
  type RegistryStore,
  toolsetHealth,
} from "@toolgate/core";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { RpcMethod, RpcObserver } from "../transport/grpc/service.ts";
import { limitMetrics } from "./limit-metrics.ts";
import { METRICS } from "./names.ts";
import type { SeriesMap, Wanted } from "./series.ts";
import { tally } from "./tally.ts";
import { timings } from "./timings.ts";

/** Gauges of Node that promtool refuses for their names' endings. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];
const GRPC_CODES = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
];

export interface Metrics {
  readonly calls: CallObserver;
  readonly limits: LimitObserver;
  readonly rpcs: (method: RpcMethod) => RpcObserver;
  registration(outcome: RegisterOutcome): void;
  loop(loop: Loop, tool: string): void;
  /** Counts how calls meet the cache, and reads what it holds. */
  cache(results: { readonly bytes: number; readonly entries: number }): CacheObserver;
  readonly batches: BatchObserver;
  audit(outcome: "written" | "dropped", reason: string, count: number): void;
  auditWaiting(count: () => number): void;
  reported(outcome: "success" | "error" | "unknown"): void;
  watchers(count: () => number): void;
  readonly callsInFlight: () => number;
  expose(): Promise<{ contentType: string; text: string }>;
}

/**
 * All metrics of the process. Label values come from what is registered or
 * from closed lists: what a caller sends never becomes one.
 */
export function createMetrics(store: RegistryStore): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const registrations = counter(registry, "toolgate_registrations_total");
  const loops = tally(registry, "toolgate_loops_total", knownTools(store));
  const reported = counter(registry, "toolgate_outcomes_reported_total");
  const audited = counter(registry, "toolgate_audit_entries_total");
  // At 0 from the start, so that the first increase is seen as one (Prometheus, "Avoid missing metrics").
  for (const outcome of ["success", "error", "unknown"]) reported.inc({ outcome }, 0);
  audited.inc({ outcome: "written", reason: "" }, 0);
  for (const reason of ["queue_full", "write_failed", "stopped"]) audited.inc({ outcome: "dropped", reason }, 0);
  registryGauges(registry, store);
  const inFlight = { count: 0 };
  gaugeOf(registry, "toolgate_calls_in_flight", () => inFlight.count);
  return {
    calls: callMetrics(registry, store, inFlight),
    limits: limitMetrics(registry, knownTools(store)),
    rpcs: rpcMetrics(registry),
    registration: (outcome) =>
      registrations.inc({ outcome: outcome.status, reason: outcome.status === "refused" ? outcome.reason : "" }),
    loop({ pattern, action }, tool) {
      loops.get(tool, `${pattern} ${action}`, () => ({ tool, pattern, action })).add();
    },
    cache(results) {
      gaugeOf(registry, "toolgate_cache_bytes", () => results.bytes);
      gaugeOf(registry, "toolgate_cache_entries", () => results.entries);
      const met = tally(registry, "toolgate_cache_requests_total", knownTools(store));
      return (tool, result) => met.get(tool, result, () => ({ tool, result })).add();
    },
    batches: batchMetrics(registry, knownTools(store)),
    audit: (outcome, reason, count) => audited.inc({ outcome, reason }, count),
    reported: (outcome) => reported.inc({ outcome }),
    auditWaiting: (count) => gaugeOf(registry, "toolgate_audit_waiting", count),
    watchers: (count) => gaugeOf(registry, "toolgate_watchers", count),
    callsInFlight: () => inFlight.count,
    expose: async () => ({ contentType: registry.contentType, text: standardNaN(await registry.metrics()) }),
  };
}

function batchMetrics(registry: Registry, tools: Wanted): BatchObserver {
  const batches = tally(registry, "toolgate_batches_total", tools);
  const calls = tally(registry, "toolgate_batched_calls_total", tools);
  return (tool, count) => {
    batches.get(tool, "", () => ({ tool })).add();
    calls.get(tool, "", () => ({ tool })).add(count);
  };
}

/** prom-client writes "Nan", and the format says "NaN". */
function standardNaN(text: string): string {
  return text.replace(/ Nan$/gm, " NaN");
}

/** Series of what is gone go too, so that tools that come and go cannot fill the memory. */
function known(names: Pick<ReadonlySet<string>, "has">): (group: string) => boolean {
  return (group) => group === "" || names.has(group);
}

function knownTools(store: RegistryStore): Wanted {
  return () => known(store.snapshot().tools);
}

function callMetrics(registry: Registry, store: RegistryStore, inFlight: { count: number }): CallObserver {
  const toolsets = () => known(store.snapshot().toolsets);
  const labels = () => new Set([...store.snapshot().tools.values()].map(({ tool }) => backendLabel(tool)));
  const total = tally(registry, "toolgate_calls_total", knownTools(store));
  const duration = timings(registry, "toolgate_call_duration_seconds", toolsets);
  const backend = timings(registry, "toolgate_backend_duration_seconds", () => known(labels()));
  return {
    started() {
      inFlight.count += 1;
    },
    ended({ entry, envelope }) {
      inFlight.count -= 1;
      const { status, meta } = envelope;
      const outcome = status === "error" ? envelope.error.code : status;
      // A name that no tool has is the caller's invention: it is counted, but not kept.
      const tool = entry?.tool.name ?? "";
      const toolset = entry?.tool.toolset ?? "";
      const label = entry === undefined ? "" : backendLabel(entry.tool);
      total.get(tool, `${outcome} ${toolset} ${label}`, () => ({ tool, toolset, backend: label, outcome })).add();
      duration.get(toolset, status, () => ({ toolset, outcome: status })).observe(meta.latencyMs / 1000);
      if (meta.attempts > 0) backend.get(label, "", () => ({ backend: label })).observe(meta.backendMs / 1000);
    },
  };
}

function rpcMetrics(registry: Registry): (method: RpcMethod) => RpcObserver {
  const started = tally(registry, "grpc_server_started_total");
  const handled = tally(registry, "grpc_server_handled_total");
  const received = tally(registry, "grpc_server_msg_received_total");
  const sent = tally(registry, "grpc_server_msg_sent_total");
  const seconds = timings(registry, "grpc_server_handling_seconds");
  return ({ type, service, name }) => {
    const labels = { grpc_type: type, grpc_service: service, grpc_method: name };
    const ofMethod = <S>(all: SeriesMap<S>): S => all.get(service, name, () => labels);
    const mine = {
      started: ofMethod(started),
      received: ofMethod(received),
      sent: ofMethod(sent),
      seconds: ofMethod(seconds),
    };
    return {
      started: () => mine.started.add(),
      received: () => mine.received.add(),
      sent: () => mine.sent.add(),
      handled(code, duration) {
        const word = GRPC_CODES[code] ?? "Unknown";
        handled.get(service, name + word, () => ({ ...labels, grpc_code: word })).add();
        mine.seconds.observe(duration);
      },
    };
  };
}

function registryGauges(registry: Registry, store: RegistryStore): void {
  gaugeOf(registry, "toolgate_registry_tools", () => store.snapshot().tools.size);
  gaugeOf(registry, "toolgate_registry_toolsets", () => store.snapshot().toolsets.size);
  gaugeOf(registry, "toolgate_registry_leases", () => store.snapshot().leases.size);
  gaugeOf(registry, "toolgate_registry_generation", () => store.snapshot().generation);
  const { help, labels } = METRICS.toolgate_toolset_health;
  new Gauge({
    name: "toolgate_toolset_health",
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      const snapshot = store.snapshot();
      for (const toolset of snapshot.toolsets.values()) {
        this.set({ toolset: toolset.name, state: toolsetHealth(snapshot, toolset).state }, 1);
      }
    },
  });
}

function counter(registry: Registry, name: keyof typeof METRICS): Counter {
  const { help, labels } = METRICS[name];
  return new Counter({ name, help, labelNames: labels, registers: [registry] });
}

function gaugeOf(registry: Registry, name: keyof typeof METRICS, read: () => number): void {
  const { help } = METRICS[name];
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
