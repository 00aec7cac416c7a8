import type { ServerUnaryCall } from "@grpc/grpc-js";

/** What a Node timer can count to. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How a call's work is told to end. */
export interface CallSignal extends Disposable {
  readonly control: AbortController;
}

/**
 * Aborts with a TimeoutError at the call's deadline, and with an AbortError
 * when the caller goes away. Disposing it ends its timer.
 */
export function callSignal(call: ServerUnaryCall<unknown, unknown>, now: () => number): CallSignal {
  const control = new AbortController();
  const deadline = Number(call.getDeadline());
  const onDeadline = () => control.abort(new DOMException("The call's deadline has passed", "TimeoutError"));
  call.on("cancelled", () => {
    if (now() >= deadline) onDeadline();
    else control.abort(new DOMException("The caller went away", "AbortError"));
  });
  const timer = Number.isFinite(deadline)
    ? setTimeout(onDeadline, Math.min(deadline - now(), MAX_TIMER_MS))
    : undefined;
  return { control, [Symbol.dispose]: () => clearTimeout(timer) };
}
