import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CheckRequestSchema, CheckResponseSchema } from "@toolgate/contract";
import { type CheckSpec, cut, type Probe, type ProbeResult, type Snapshot } from "@toolgate/core";
import { bufferOf, NO_METADATA, receiveLimitFor, type UnaryEnd, type UnaryRequest } from "../grpc-channel/index.ts";
import type { ProviderClients } from "./backend.ts";

const CHECK = "/toolgate.v1.ToolProviderService/Check";
/** As the contract says; whoever asks may give up sooner by the signal. */
const TIMEOUT_MS = 2_000;
const MAX_REASON = 512;
/** Of one tool's instances. */
const MAX_ASKED = 16;
const MAX_REASONS_TOLD = 3;

/**
 * `{tool}`: healthy when one of the processes that serve the tool says that it
 * can be used now. `{toolset}`: when one of those that serve its tools says so
 * of itself as a whole.
 *
 * @param snapshot the newest, for who is registered now
 */
export function createProviderProbe(clients: ProviderClients, snapshot: () => Snapshot): Probe {
  return { kind: "provider", probe: (check, signal) => ask(clients, { check, snapshot: snapshot() }, signal) };
}

interface Question {
  readonly check: CheckSpec;
  readonly snapshot: Snapshot;
}

/** All at once, and the first yes counts: a dead instance must not use up the time of the others. */
async function ask(clients: ProviderClients, question: Question, signal: AbortSignal): Promise<ProbeResult> {
  const addresses = addressesIn(question).slice(0, MAX_ASKED);
  if (addresses.length === 0) return { ok: false, reason: "no process that could be asked is registered" };
  const answered = new AbortController();
  const request = requestFor(question.check, AbortSignal.any([signal, answered.signal]));
  const complaints: string[] = [];
  const yes = await Promise.any(
    addresses.map(async (address) => {
      const why = await complaintOf(clients, address, request);
      if (why === undefined) return true;
      complaints.push(`the provider at ${address} ${why}`);
      throw new Error(why);
    }),
  ).catch(() => false);
  answered.abort();
  return yes ? { ok: true } : { ok: false, reason: shortened(complaints) };
}

function addressesIn({ check: { settings }, snapshot }: Question): readonly string[] {
  const { tool, toolset } = settings;
  const names = tool === undefined ? (snapshot.toolsets.get(String(toolset))?.tools ?? []) : [String(tool)];
  const addresses = new Set<string>();
  for (const name of names) {
    const entry = snapshot.tools.get(name);
    // Only where a tool is served by its process was the address of the process looked at when it registered.
    if (entry?.tool.backend?.kind !== "provider") continue;
    for (const { address } of entry.instances) if (address !== undefined) addresses.add(address);
  }
  return [...addresses];
}

function requestFor({ settings: { tool } }: CheckSpec, signal: AbortSignal): UnaryRequest {
  const request = create(CheckRequestSchema, typeof tool === "string" ? { tool } : {});
  const message = bufferOf(toBinary(CheckRequestSchema, request));
  return { path: CHECK, message, metadata: NO_METADATA, timeoutMs: TIMEOUT_MS, signal };
}

/** Why the tool cannot be used there; `undefined` where it can. */
async function complaintOf(
  clients: ProviderClients,
  address: string,
  request: UnaryRequest,
): Promise<string | undefined> {
  const channel = clients.for({ address, tls: false, receiveLimit: receiveLimitFor(0) });
  const end = await channel.call(request);
  return end.kind === "answered" ? complaintIn(end.message) : wordsOf(end);
}

function complaintIn(message: Buffer): string | undefined {
  try {
    const { available, reason } = fromBinary(CheckResponseSchema, message);
    if (available) return undefined;
    return reason === "" ? "says that it cannot be used" : `says: ${cut(reason, MAX_REASON)}`;
  } catch {
    return "sent bytes that are no CheckResponse";
  }
}

function wordsOf(end: Exclude<UnaryEnd, { kind: "answered" }>): string {
  switch (end.kind) {
    case "status":
      return end.status.name === "UNIMPLEMENTED" ? "has no Check" : `answered ${end.status.name}`;
    case "undelivered":
      return `cannot be reached: ${end.words}`;
    case "lost":
      return end.words;
    case "not-grpc":
      return `answered HTTP ${end.httpStatus} and not gRPC`;
    case "too-large":
      return "sent too large an answer";
    default:
      return "gave no answer in time";
  }
}

/** In a fixed order, so that the same complaints are the same state. */
function shortened(complaints: readonly string[]): string {
  const told = complaints.toSorted().slice(0, MAX_REASONS_TOLD).join("; ");
  return complaints.length > MAX_REASONS_TOLD ? `${told}; and ${complaints.length - MAX_REASONS_TOLD} more` : told;
}
