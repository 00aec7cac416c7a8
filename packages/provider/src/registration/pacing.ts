/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/** While there is no gateway: how long to wait before the first try, and at most. */
export const FIRST_WAIT_MS = 200;
export const MAX_WAIT_MS = 3_000;
/** Where the gateway itself said no, there is less hope and no hurry. */
export const MAX_REFUSED_WAIT_MS = 30_000;

/**
 * Milliseconds before the next try, after `failures` (from 1) in a row: twice
 * as long each time, to a bound, and at random between half of that and all of
 * it, so that providers do not come back all at once.
 */
export function backOffMs(failures: number, maxMs: number, random: Random): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 30), maxMs);
  return longest * (0.5 + random() / 2);
}

/** Milliseconds to the next heartbeat: at least three in each lease, a little early by chance. */
export function heartbeatMs(leaseMs: number, random: Random): number {
  return (leaseMs / 3) * (0.8 + random() * 0.2);
}

const EAGER_TRIES = 6;
const MAX_HEARTBEATS = 32;

/**
 * After how many heartbeats to ask again for a name that someone else has.
 * Often at first, over two leases: the other is most likely this provider
 * before a crash, whose lease soon ends. Then ever more seldom.
 *
 * @param tries how often it was asked already, from 1.
 */
export function heartbeatsToRetry(tries: number): number {
  if (tries <= EAGER_TRIES) return 1;
  return Math.min(2 ** Math.min(tries - EAGER_TRIES, 30), MAX_HEARTBEATS);
}
