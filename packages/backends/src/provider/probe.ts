import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CheckRequestSchema, CheckResponseSchema } from "@toolgate/contract";
import { type CheckSpec, cut, type Probe, type ProbeResult } from "@toolgate/core";
import { bufferOf, NO_METADATA, problemOfAddress, receiveLimitFor, type UnaryEnd } from "../grpc-channel/index.ts";
import type { ProviderClients } from "./backend.ts";

const CHECK = "/toolgate.v1.ToolProviderService/Check";
/** As the contract says; whoever asks may give up sooner by the signal. */
const TIMEOUT_MS = 2_000;
const MAX_REASON = 512;

/**
 * `{address, tool}`: healthy when the provider at this "host:port" says that
 * the tool can be used now; without `tool`, the provider as a whole.
 */
export function createProviderProbe(clients: ProviderClients): Probe {
  return { kind: "provider", probe: (check, signal) => ask(clients, check, signal) };
}

async function ask(clients: ProviderClients, { settings }: CheckSpec, signal: AbortSignal): Promise<ProbeResult> {
  const { address, tool = "" } = settings;
  if (typeof address !== "string" || problemOfAddress(address) !== undefined || typeof tool !== "string") {
    return { ok: false, reason: "the check has no valid address" };
  }
  const channel = clients.for({ address, tls: false, receiveLimit: receiveLimitFor(0) });
  const message = bufferOf(toBinary(CheckRequestSchema, create(CheckRequestSchema, { tool })));
  const end = await channel.call({ path: CHECK, message, metadata: NO_METADATA, timeoutMs: TIMEOUT_MS, signal });
  const reason = end.kind === "answered" ? reasonIn(end.message) : wordsOf(end);
  return reason === undefined ? { ok: true } : { ok: false, reason: `the provider at ${address} ${reason}` };
}

/** Why the tool cannot be used; `undefined` where it can. */
function reasonIn(message: Buffer): string | undefined {
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
