interface MetricFacts {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
}

const RPC = ["grpc_type", "grpc_service", "grpc_method"] as const;

/** Every metric that this process adds to Node's own. `docs/metrics.md` is checked against it. */
export const METRICS = {
  toolgate_calls_total: {
    type: "counter",
    labels: ["tool", "toolset", "backend", "outcome"],
    help: "Calls by how they ended: success, delegated, or an error code. The tool is empty where no tool has the name.",
  },
  toolgate_call_duration_seconds: {
    type: "histogram",
    labels: ["toolset", "outcome"],
    help: "From the arrival of a call to its envelope; the outcome is the envelope's status.",
  },
  toolgate_backend_duration_seconds: {
    type: "histogram",
    labels: ["backend"],
    help: "Time in the backend, summed over the attempts of a call.",
  },
  toolgate_calls_in_flight: { type: "gauge", labels: [], help: "Calls that are running now." },
  toolgate_loops_total: {
    type: "counter",
    labels: ["tool", "pattern", "action"],
    help: "Calls that the loop guard warned of or refused, by what they repeat: repeat, cycle or same_result.",
  },
  toolgate_audit_entries_total: {
    type: "counter",
    labels: ["outcome", "reason"],
    help: "Entries of the audit log: written, or dropped because too many waited (queue_full), the log failed (write_failed) or the gateway stopped (stopped).",
  },
  toolgate_outcomes_reported_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Outcomes of delegated calls that callers reported: success, error, or unknown where no such call waited for one.",
  },
  toolgate_audit_waiting: { type: "gauge", labels: [], help: "Entries that the audit log has not taken yet." },
  toolgate_limit_decisions_total: {
    type: "counter",
    labels: ["limit", "tool", "decision"],
    help: "What each limit said to calls of each tool: admitted, refused, or shadow where a limit in shadow would have refused.",
  },
  toolgate_limit_queue_length: {
    type: "gauge",
    labels: ["limit"],
    help: "Calls that wait for a slot now, by the limit that has none.",
  },
  toolgate_registrations_total: {
    type: "counter",
    labels: ["outcome", "reason"],
    help: "Tools offered for registration, by what became of them; the reason is empty unless refused.",
  },
  toolgate_registry_tools: { type: "gauge", labels: [], help: "Registered tools, usable or not." },
  toolgate_registry_toolsets: { type: "gauge", labels: [], help: "Registered toolsets." },
  toolgate_registry_leases: { type: "gauge", labels: [], help: "Leases that hold tools." },
  toolgate_registry_generation: {
    type: "gauge",
    labels: [],
    help: "Grows by one with each change that can be listed.",
  },
  toolgate_toolset_health: {
    type: "gauge",
    labels: ["toolset", "state"],
    help: "1 for the state that each toolset is in: healthy, degraded, unavailable or unknown.",
  },
  toolgate_batches_total: {
    type: "counter",
    labels: ["tool"],
    help: "Calls of a backend that were made for two or more calls of a tool at once.",
  },
  toolgate_batched_calls_total: {
    type: "counter",
    labels: ["tool"],
    help: "Calls that went to their backend together with others.",
  },
  toolgate_cache_requests_total: {
    type: "counter",
    labels: ["tool", "result"],
    help: "Calls of tools whose results may be kept: hit, miss, shared with a call under way, bypass, refresh, or the store failed.",
  },
  toolgate_cache_bytes: { type: "gauge", labels: [], help: "Memory that kept results take." },
  toolgate_cache_entries: { type: "gauge", labels: [], help: "Kept results." },
  toolgate_watchers: { type: "gauge", labels: [], help: "Open WatchToolsets streams." },
  grpc_server_started_total: { type: "counter", labels: RPC, help: "RPCs started." },
  grpc_server_handled_total: { type: "counter", labels: [...RPC, "grpc_code"], help: "RPCs ended, by status code." },
  grpc_server_msg_received_total: { type: "counter", labels: RPC, help: "Messages received." },
  grpc_server_msg_sent_total: { type: "counter", labels: RPC, help: "Messages sent." },
  grpc_server_handling_seconds: { type: "histogram", labels: RPC, help: "From the start of an RPC to its end." },
} as const satisfies Record<string, MetricFacts>;
