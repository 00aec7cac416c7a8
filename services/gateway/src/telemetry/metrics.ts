import {
  backendLabel,
  type CallObserver,
  type RegisterOutcome,
  type RegistryStore,
  toolsetHealth,
} from "@toolgate/core";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { RpcMethod, RpcObserver } from "../transport/grpc/service.ts";
import { METRICS } from "./names.ts";
import { Tally } from "./tally.ts";

/** Tools can take a minute; the usual buckets end at ten seconds. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Gauges of Node that promtool refuses for their names' endings. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];
/** The values of an envelope's `status`. */
const STATUSES = ["success", "error", "delegated"];
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
  readonly rpcs: RpcObserver;
  registration(outcome: RegisterOutcome): void;
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
  registryGauges(registry, store);
  const inFlight = { count: 0 };
  gaugeOf(registry, "toolgate_calls_in_flight", () => inFlight.count);
  return {
    calls: callMetrics(registry, store, inFlight),
    rpcs: rpcMetrics(registry),
    registration: (outcome) =>
      registrations.inc({ outcome: outcome.status, reason: outcome.status === "refused" ? outcome.reason : "" }),
    watchers: (count) => gaugeOf(registry, "toolgate_watchers", count),
    callsInFlight: () => inFlight.count,
    expose: async () => ({ contentType: registry.contentType, text: standardNaN(await registry.metrics()) }),
  };
}

/** prom-client writes "Nan", and the format says "NaN". */
function standardNaN(text: string): string {
  return text.replace(/ Nan$/gm, " NaN");
}

function callMetrics(registry: Registry, store: RegistryStore, inFlight: { count: number }): CallObserver {
  // Series of tools that are gone go too, so that tools that come and go cannot fill the memory.
  const isKnown = (tool: string) => tool === "" || store.snapshot().tools.has(tool);
  const total = new Tally(registry, "toolgate_calls_total", isKnown);
  const toolsets = new Set<string>();
  const duration = histogram(registry, "toolgate_call_duration_seconds", (self) => {
    for (const toolset of missingFrom(toolsets, new Set(["", ...store.snapshot().toolsets.keys()]))) {
      for (const outcome of STATUSES) self.remove({ toolset, outcome });
    }
  });
  const backends = new Set<string>();
  const backend = histogram(registry, "toolgate_backend_duration_seconds", (self) => {
    const known = new Set([...store.snapshot().tools.values()].map(({ tool }) => backendLabel(tool)));
    for (const gone of missingFrom(backends, known)) self.remove({ backend: gone });
  });
  return {
    started() {
      inFlight.count += 1;
    },
    ended({ entry, envelope }) {
      inFlight.count -= 1;
      const outcome = envelope.status === "error" ? envelope.error.code : envelope.status;
      // A name that no tool has is the caller's invention: it is counted, but not kept.
      const tool = entry?.tool.name ?? "";
      const toolset = entry?.tool.toolset ?? "";
      const label = entry === undefined ? "" : backendLabel(entry.tool);
      total.series(tool, `${outcome} ${toolset} ${label}`, () => ({
        tool,
        toolset,
        backend: label,
        outcome,
      })).count += 1;
      toolsets.add(toolset);
      duration.observe({ toolset, outcome: envelope.status }, envelope.meta.latencyMs / 1000);
      if (envelope.meta.attempts === 0) return;
      backends.add(label);
      backend.observe({ backend: label }, envelope.meta.backendMs / 1000);
    },
  };
}

/** Takes from `seen`, and answers, what is not `known` any more. */
function missingFrom(seen: Set<string>, known: ReadonlySet<string>): string[] {
  const gone = [...seen].filter((value) => !known.has(value));
  for (const value of gone) seen.delete(value);
  return gone;
}

function rpcMetrics(registry: Registry): RpcObserver {
  const started = new Tally(registry, "grpc_server_started_total");
  const handled = new Tally(registry, "grpc_server_handled_total");
  const received = new Tally(registry, "grpc_server_msg_received_total");
  const sent = new Tally(registry, "grpc_server_msg_sent_total");
  const seconds = histogram(registry, "grpc_server_handling_seconds");
  const labels = ({ type, service, name }: RpcMethod) => {
    return { grpc_type: type, grpc_service: service, grpc_method: name };
  };
  const count = (tally: Tally, method: RpcMethod) => {
    tally.series(method.service, method.name, () => labels(method)).count += 1;
  };
  return {
    started: (method) => count(started, method),
    received: (method) => count(received, method),
    sent: (method) => count(sent, method),
    handled(method, code, duration) {
      const word = GRPC_CODES[code] ?? "Unknown";
      handled.series(method.service, method.name + word, () => ({ ...labels(method), grpc_code: word })).count += 1;
      seconds.observe(labels(method), duration);
    },
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

function histogram(
  registry: Registry,
  name: keyof typeof METRICS,
  prune: (self: Histogram) => void = () => {},
): Histogram {
  const { help, labels } = METRICS[name];
  return new Histogram({
    name,
    help,
    labelNames: labels,
    buckets: BUCKETS_SECONDS,
    registers: [registry],
    collect() {
      prune(this);
    },
  });
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
