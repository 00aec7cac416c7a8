import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { WatchToolsetsRequestSchema, WatchToolsetsResponse } from "@toolgate/contract";
import { type ClientErrorCode, ToolgateClientError } from "../client-error.ts";
import type { ToolsetEvent } from "./events.ts";
import { type ResumePoint, WatchPosition } from "./position.ts";

export interface WatchOptions {
  /** Only these, by name or alias; all where unset. */
  readonly toolsets?: readonly string[];
  /** Ends the watch, without an error. */
  readonly signal?: AbortSignal;
  /** How often the gateway shows that it lives: 1,000 to 300,000 ms; 15,000 where unset. */
  readonly heartbeatMs?: number;
  /** Told each time the stream is lost; the watch connects again after `retryInMs`. Must not throw. */
  readonly onDisconnect?: (failure: ToolgateClientError, retryInMs: number) => void;
}

export type WatchRequest = MessageInitShape<typeof WatchToolsetsRequestSchema>;

export interface WatchPorts {
  /** Opens a stream, which ends with a ToolgateClientError where the signal is aborted. */
  open(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchToolsetsResponse>;
  /** Runs something once, after so many milliseconds; gives back what prevents it. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
}

export const DEFAULT_HEARTBEAT_MS = 15_000;
const MIN_HEARTBEAT_MS = 1_000;
const MAX_HEARTBEAT_MS = 300_000;
/** A stream that says nothing for this many heartbeats is dead. */
const SILENT_HEARTBEATS = 3;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 15_000;

/** Failures that trying again does not mend. */
const FINAL: readonly ClientErrorCode[] = [
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "INVALID_ARGUMENT",
  "MESSAGE_TOO_LARGE",
  "UNIMPLEMENTED",
  "INVALID_RESPONSE",
];

/** @throws ToolgateClientError INVALID_ARGUMENT */
export function checkHeartbeat(ms: number): number {
  if (Number.isInteger(ms) && ms >= MIN_HEARTBEAT_MS && ms <= MAX_HEARTBEAT_MS) return ms;
  const message = `heartbeatMs must be a whole number from ${MIN_HEARTBEAT_MS} to ${MAX_HEARTBEAT_MS}, not ${ms}.`;
  throw new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false });
}

/**
 * The events of a watch, for as long as the signal is not aborted. A stream
 * that breaks, ends or falls silent is opened again where it stopped; only a
 * gateway that was never reached, or one that refuses the watch, is an error.
 * Nothing is read from the gateway before the reader asks for it.
 */
export async function* watch(
  ports: WatchPorts,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<ToolsetEvent, void, undefined> {
  const { heartbeatMs = DEFAULT_HEARTBEAT_MS, toolsets = [] } = options;
  const position = new WatchPosition();
  let retries = 0;
  while (!signal.aborted) {
    let failure = ended();
    try {
      const request = requestOf(position.begin(), heartbeatMs, toolsets);
      for await (const message of listen(ports, request, { signal, silenceMs: heartbeatMs * SILENT_HEARTBEATS })) {
        yield* position.take(message);
        if (message.event.case === "synced") retries = 0;
      }
    } catch (thrown) {
      failure = thrown as ToolgateClientError;
    }
    if (signal.aborted) return;
    if (!position.isTold || FINAL.includes(failure.code)) throw failure;
    const retryInMs = retryDelay(retries++, ports.random());
    options.onDisconnect?.(failure, retryInMs);
    await pause(ports, retryInMs, signal);
  }
}

/** Doubles from 250 ms to 15 s; the random half keeps many agents from returning at the same moment. */
export function retryDelay(retries: number, random: number): number {
  const whole = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(retries, 16));
  return Math.round(whole * (0.5 + random / 2));
}

function requestOf(from: ResumePoint | undefined, heartbeatMs: number, toolsets: readonly string[]): WatchRequest {
  return {
    toolsets: [...toolsets],
    heartbeatInterval: durationFromMs(heartbeatMs),
    ...(from === undefined ? {} : { fromGeneration: from.generation, epoch: from.epoch }),
  };
}

interface Listening {
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

/** The messages of one stream, until it ends or is silent for too long while the reader waits. */
async function* listen(
  ports: WatchPorts,
  request: WatchRequest,
  { signal, silenceMs }: Listening,
): AsyncGenerator<WatchToolsetsResponse, void, undefined> {
  const own = new AbortController();
  const messages = ports.open(request, AbortSignal.any([signal, own.signal]))[Symbol.asyncIterator]();
  let isSilent = false;
  try {
    for (;;) {
      const cancel = ports.after(silenceMs, () => {
        isSilent = true;
        own.abort();
      });
      const next = await messages.next().finally(cancel);
      if (next.done) return;
      yield next.value;
    }
  } catch (thrown) {
    throw isSilent ? silent(silenceMs) : thrown;
  } finally {
    own.abort();
  }
}

function pause(ports: WatchPorts, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const cancel = ports.after(ms, wake);
  signal.addEventListener("abort", wake, { once: true });
  return promise.finally(() => {
    cancel();
    signal.removeEventListener("abort", wake);
  });
}

function ended(): ToolgateClientError {
  return new ToolgateClientError("UNAVAILABLE", "The gateway ended the watch.", { mayHaveRun: false });
}

function silent(ms: number): ToolgateClientError {
  const message = `The gateway has said nothing for ${ms / 1000} s; the connection is taken for dead.`;
  return new ToolgateClientError("UNAVAILABLE", message, { mayHaveRun: false });
}
