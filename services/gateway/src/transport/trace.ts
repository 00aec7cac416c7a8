import type { TraceContext } from "@toolgate/core";

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const MAX_TRACESTATE = 512;

/** Reads W3C Trace Context; what is malformed is left out, as the specification asks. */
export function readTrace(header: (name: string) => string | undefined): TraceContext {
  const traceparent = header("traceparent");
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  const tracestate = header("tracestate");
  return tracestate === undefined || tracestate.length > MAX_TRACESTATE ? { traceparent } : { traceparent, tracestate };
}
