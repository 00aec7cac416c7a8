import { expect, vi } from "vitest";

/** Enough for a busy machine; a condition that holds is seen within milliseconds. */
const WAIT = { timeout: 15_000, interval: 10 };

/** Waits until an expectation on what `read` gives holds: `await eventually(() => count()).toBe(3)`. */
export function eventually<T>(read: () => T): ReturnType<typeof expect.poll<Awaited<T>>> {
  return expect.poll(read as () => Awaited<T>, WAIT);
}

/** Waits until a block of expectations holds. */
export function holds(block: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(block, WAIT);
}
