import { type Clock, callerGone, lostAnswer, type ReadyCall, ToolgateError } from "@toolgate/core";

export interface FlightParts<T> {
  readonly clock: Clock;
  /** Begins the work; the signal aborts when nobody waits for it any more. */
  readonly start: (signal: AbortSignal) => Promise<T>;
  /** When the work itself runs out of time, on the monotonic clock. */
  readonly deadlineAt: number;
  /** Nobody waits any more; told before the signal aborts. */
  readonly onEmpty: () => void;
  /** Whether a backend may have got it. Unset: from the start. */
  readonly delivered?: () => boolean;
}

/**
 * Work under way that several calls wait for. Each waits for as long as it
 * likes: one that goes away ends nothing, unless it was the last one.
 */
export class Flight<T> {
  readonly deadlineAt: number;
  readonly #answer: Promise<T>;
  readonly #parts: FlightParts<T>;
  readonly #abort = new AbortController();
  #waiting = 0;

  constructor(parts: FlightParts<T>) {
    this.#parts = parts;
    this.deadlineAt = parts.deadlineAt;
    this.#answer = parts.start(this.#abort.signal);
  }

  /** The answer; rejects where the caller goes away, or has no time left, before the work has ended. */
  async wait(call: ReadyCall): Promise<T> {
    this.#waiting += 1;
    const { clock, delivered = () => true } = this.#parts;
    const { tool } = call.entry;
    let leave: (error: Error) => void = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = reject;
    });
    const giveUp = (error: () => Error, reason: unknown) => {
      this.#waiting -= 1;
      if (this.#waiting > 0) {
        leave(error());
        return;
      }
      // Nobody waits any more. Its own end says best how far it got.
      this.#parts.onEmpty();
      this.#abort.abort(reason);
    };
    const onAbort = () => giveUp(() => callerGone(tool, delivered()), call.signal.reason);
    const onLate = () =>
      giveUp(() => overdue(call, delivered()), new DOMException("The caller's deadline passed", "TimeoutError"));
    const timer =
      deadlineOf(call) < this.deadlineAt ? clock.schedule(deadlineOf(call) - clock.monotonic(), onLate) : undefined;
    call.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#answer, left]);
    } finally {
      timer?.cancel();
      call.signal.removeEventListener("abort", onAbort);
    }
  }
}

/** When the caller stops waiting, on the monotonic clock; `Infinity`: never. */
export function deadlineOf({ deadlineAt }: ReadyCall): number {
  return deadlineAt ?? Number.POSITIVE_INFINITY;
}

function overdue({ entry: { tool } }: ReadyCall, delivered: boolean): ToolgateError {
  if (delivered) return lostAnswer(tool, "gave no answer before the caller's deadline");
  return new ToolgateError(
    "BACKEND_UNREACHABLE",
    `The caller's deadline passed before "${tool.name}" could be called; the backend was not reached for.`,
    { retryable: true },
  );
}
