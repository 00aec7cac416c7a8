import { ANONYMOUS, type Caller } from "@toolgate/core";
import type { RequestContext } from "../src/transport/handlers/context.ts";

/** A request of everyone, unless the test says of whom. */
export function aContext(parts: Partial<RequestContext> = {}): RequestContext {
  return { caller: ANONYMOUS, door: "grpc", trace: {}, receivedAt: 0, signal: new AbortController().signal, ...parts };
}

export function aCaller(...scopes: string[]): Caller {
  return { id: "ann", admin: false, scopes: new Set(scopes) };
}

/** A caller with every scope, who is an operator besides. */
export const OPERATOR: Caller = { id: "root", admin: true };
