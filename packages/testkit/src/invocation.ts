import { ANONYMOUS, type Invocation, type JsonObject, type Tool } from "@toolgate/core";

/** One attempt at a tool, by nobody in particular, and what a test changes. */
export function anInvocation(tool: Tool, args: JsonObject = {}, changes: Partial<Invocation> = {}): Invocation {
  return {
    tool,
    instances: [{ leaseId: "lease-1" }],
    args,
    callId: "call-1",
    caller: ANONYMOUS,
    trace: {},
    timeoutMs: tool.timeoutMs,
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Ends an attempt as the gateway does when its time is up. */
export function timeOut(attempt: AbortController): void {
  attempt.abort(new DOMException("The attempt took too long", "TimeoutError"));
}

/** Ends an attempt as the gateway does when the caller goes away. */
export function cancel(attempt: AbortController): void {
  attempt.abort(new DOMException("The caller went away", "AbortError"));
}
