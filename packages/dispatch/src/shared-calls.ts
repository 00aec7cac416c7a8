import { type Clock, callerGone, lostAnswer, type ReadyCall } from "@toolgate/core";

interface Flight<T> {
  readonly answer: Promise<T>;
  /** Of the call that started it; what fails for its sake is not the fault of those who joined. */
  readonly deadlineAt: number;
  readonly abort: AbortController;
  waiting: number;
}

type Start<T> = (call: ReadyCall) => Promise<T>;

/**
 * Equal calls that are under way at the same time share one answer. Each waits
 * for as long as it likes: one that goes away ends nothing, unless it was the
 * last one.
 */
export class SharedCalls<T> {
  readonly #flights = new Map<string, Flight<T>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there is one to join. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * The answer to the call with this key that is under way, else of a new one.
   * Rejects as `start` does, or because the caller went away or has no time left.
   */
  async run(key: string, call: ReadyCall, start: Start<T>): Promise<T> {
    for (;;) {
      const joined = this.#flights.get(key);
      const flight = joined ?? this.#start(key, call, start);
      try {
        return await this.#wait(key, flight, call);
      } catch (error) {
        const now = this.#clock.monotonic();
        const isMine = joined === undefined || now < flight.deadlineAt;
        if (isMine || call.signal.aborted || now >= deadlineOf(call)) throw error;
        // It ran out of the time of whoever started it. There is some left here: once more, in our own name.
      }
    }
  }

  #start(key: string, call: ReadyCall, start: Start<T>): Flight<T> {
    const abort = new AbortController();
    const answer = start({ ...call, signal: abort.signal }).finally(() => this.#forget(key, flight));
    const flight: Flight<T> = { answer, deadlineAt: deadlineOf(call), abort, waiting: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  async #wait(key: string, flight: Flight<T>, call: ReadyCall): Promise<T> {
    flight.waiting += 1;
    const { tool } = call.entry;
    let leave: (error: Error) => void = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = reject;
    });
    const giveUp = (error: () => Error, reason: unknown) => {
      flight.waiting -= 1;
      if (flight.waiting > 0) {
        leave(error());
        return;
      }
      // Nobody waits any more. Its own end says best how far it got.
      this.#forget(key, flight);
      flight.abort.abort(reason);
    };
    const onAbort = () => giveUp(() => callerGone(tool, true), call.signal.reason);
    const inTime = deadlineOf(call) < flight.deadlineAt;
    const timer = inTime
      ? this.#clock.schedule(deadlineOf(call) - this.#clock.monotonic(), () =>
          giveUp(
            () => lostAnswer(tool, "gave no answer before the caller's deadline"),
            new DOMException("The caller's deadline passed", "TimeoutError"),
          ),
        )
      : undefined;
    call.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([flight.answer, left]);
    } finally {
      timer?.cancel();
      call.signal.removeEventListener("abort", onAbort);
    }
  }
}

function deadlineOf({ deadlineAt }: ReadyCall): number {
  return deadlineAt ?? Number.POSITIVE_INFINITY;
}
