import { Metadata } from "@grpc/grpc-js";
import type { TraceContext } from "@toolgate/core";

/** What a value of metadata that is not binary may hold (gRPC over HTTP/2, ASCII-Value). */
const VALUE = /^[\x20-\x7e]*$/;

export function isMetadataValue(text: string): boolean {
  return VALUE.test(text);
}

/** `base` with the W3C Trace Context, which goes on only in a form that metadata can hold. `base` stays as it was. */
export function withTrace(base: Metadata, { traceparent, tracestate }: TraceContext): Metadata {
  if (traceparent === undefined || !isMetadataValue(traceparent)) return base;
  const metadata = base.clone();
  metadata.set("traceparent", traceparent);
  if (tracestate !== undefined && isMetadataValue(tracestate)) metadata.set("tracestate", tracestate);
  return metadata;
}

export const NO_METADATA: Metadata = new Metadata();
