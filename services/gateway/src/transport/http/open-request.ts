import type { FastifyReply, FastifyRequest } from "fastify";
import type { DoorPorts } from "../door.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "../handlers/context.ts";
import { GONE, letIn } from "../let-in.ts";
import { readTrace } from "../trace.ts";

/** What a caller may ask for at most; more is cut to this. */
export const MAX_TIMEOUT_MS = 3_600_000;

/** Lets a request in: who calls, until when, and a signal for when the caller goes. */
export function openRequest(request: FastifyRequest, reply: FastifyReply, ports: DoorPorts): RequestContext {
  const caller = letIn(ports, request.headers.authorization, 'in the header "Authorization: Bearer KEY"');
  const gone = new AbortController();
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort(GONE);
  });
  const header = (name: string) => [request.headers[name]].flat()[0];
  const receivedAt = ports.clock.monotonic();
  const context: RequestContext = { caller, door: "http", trace: readTrace(header), receivedAt, signal: gone.signal };
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
