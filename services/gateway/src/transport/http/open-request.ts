import type { FastifyReply, FastifyRequest } from "fastify";
import type { DoorPorts } from "../door.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "../handlers/context.ts";
import { readTrace } from "../trace.ts";

const MAX_TIMEOUT_MS = 3_600_000;

const GONE = new DOMException("The caller went away", "AbortError");

/** Lets a request in: who calls, until when, and a signal for when the caller goes. */
export function openRequest(request: FastifyRequest, reply: FastifyReply, ports: DoorPorts): RequestContext {
  if (ports.draining.aborted)
    throw new DoorError("UNAVAILABLE", "The gateway is stopping. Try another one, or again later.");
  const caller = ports.authenticate(request.headers.authorization);
  if (caller === undefined) {
    throw new DoorError("UNAUTHENTICATED", 'Send a known API key in the header "Authorization: Bearer KEY".');
  }
  const gone = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort(GONE);
  });
  const header = (name: string) => [request.headers[name]].flat()[0];
  const receivedAt = ports.clock.monotonic();
  const context = { caller, trace: readTrace(header), receivedAt, signal: gone.signal };
  const timeoutMs = timeoutOf(header("connect-timeout-ms"));
  return timeoutMs === undefined ? context : { ...context, deadlineAt: receivedAt + timeoutMs };
}

/** HTTP has no deadline of its own; this header is the Connect protocol's. */
function timeoutOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = Number(header);
  if (/^\d{1,10}$/.test(header) && ms > 0) return Math.min(ms, MAX_TIMEOUT_MS);
  throw new DoorError(
    "INVALID_ARGUMENT",
    'The header "connect-timeout-ms" must be a whole number of milliseconds above 0.',
  );
}
