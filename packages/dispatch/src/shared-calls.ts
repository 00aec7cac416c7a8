import type { Clock, ReadyCall } from "@toolgate/core";
import { deadlineOf, Flight } from "./flight.ts";

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
        return await flight.wait(call);
      } catch (error) {
        const now = this.#clock.monotonic();
        const isMine = joined === undefined || now < flight.deadlineAt;
        if (isMine || call.signal.aborted || now >= deadlineOf(call)) throw error;
        // It ran out of the time of whoever started it. There is some left here: once more, in our own name.
      }
    }
  }

  #start(key: string, call: ReadyCall, start: Start<T>): Flight<T> {
    const flight: Flight<T> = new Flight({
      clock: this.#clock,
      start: (signal) => start({ ...call, signal }).finally(() => this.#forget(key, flight)),
      // Of the call that started it; what fails for its sake is not the fault of those who joined.
      deadlineAt: deadlineOf(call),
      onEmpty: () => this.#forget(key, flight),
    });
    this.#flights.set(key, flight);
    return flight;
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
