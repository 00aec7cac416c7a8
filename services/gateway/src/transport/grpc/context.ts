import type { Metadata, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import type { DoorPorts } from "../door.ts";
import type { RequestContext } from "../handlers/context.ts";
import { GONE, letIn } from "../let-in.ts";
import { readTrace } from "../trace.ts";

export type AnyServerCall = ServerUnaryCall<Buffer, object> | ServerWritableStream<Buffer, object>;

export interface Entered {
  readonly context: RequestContext;
  /** To be called once the answer is there: from then on nobody wants to hear that the caller went away. */
  answered(): void;
}

/** Lets a request in: who calls, until when, and a signal for when the caller goes. */
export function enter(call: AnyServerCall, ports: DoorPorts): Entered {
  const header = (name: string) => firstValue(call.metadata, name);
  const caller = letIn(ports, header("authorization"), 'in the metadata: "authorization: Bearer KEY"');
  const gone = new AbortController();
  let waiting = true;
  // grpc-js says "cancelled" at the end of each call, also of one that went well.
  call.on("cancelled", () => {
    if (waiting) gone.abort(GONE);
  });
  const receivedAt = ports.clock.monotonic();
  const deadlineAt = deadlineOf(call, ports, receivedAt);
  const context: RequestContext = { caller, door: "grpc", trace: readTrace(header), receivedAt, signal: gone.signal };
  return {
    context: deadlineAt === undefined ? context : { ...context, deadlineAt },
    answered: () => {
      waiting = false;
    },
  };
}

function firstValue(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === "string" ? value : undefined;
}

/** This share of a deadline, and at most so many milliseconds, is kept for the way of the answer. */
const RESERVE_SHARE = 0.05;
const MAX_RESERVE_MS = 100;

/**
 * The caller's deadline on the monotonic clock, a little early: an envelope
 * that says what is known must arrive before the caller stops waiting for it.
 */
function deadlineOf(call: AnyServerCall, { clock }: DoorPorts, receivedAt: number): number | undefined {
  const deadline = call.getDeadline();
  const left = (deadline instanceof Date ? deadline.getTime() : deadline) - clock.now();
  return Number.isFinite(left) ? receivedAt + left - Math.min(left * RESERVE_SHARE, MAX_RESERVE_MS) : undefined;
}
