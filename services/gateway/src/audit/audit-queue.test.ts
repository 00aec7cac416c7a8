import type { AuditEntry } from "@toolgate/core";
import { anAuditEntry } from "@toolgate/testkit/audit-log-suite";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it, vi } from "vitest";
import { AuditQueue, MAX_WAITING } from "./audit-queue.ts";

function open(append: (entries: readonly AuditEntry[]) => Promise<void> = async () => {}) {
  const clock = createFakeClock();
  const batches: string[][] = [];
  const log = {
    append: vi.fn(async (entries: readonly AuditEntry[]) => {
      batches.push(entries.map(({ callId }) => callId));
      await append(entries);
    }),
  };
  const observer = { written: vi.fn(), dropped: vi.fn(), slow: vi.fn() };
  const finish = vi.fn((callId: string) => {
    if (callId === "broken") throw new Error("cannot be told");
    return anAuditEntry({ callId });
  });
  const queue = new AuditQueue<string>({ log, clock, observer, finish });
  const add = (count: number, from = 0) => {
    for (let i = 0; i < count; i += 1) queue.add(`c${from + i}`);
  };
  return { clock, log, batches, observer, finish, queue, add };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);
const never = () => new Promise<void>(() => {});

describe("AuditQueue", () => {
  it("does nothing in the turn of the call, and writes what gathered together", async () => {
    const { clock, batches, finish, observer, add, queue } = open();
    add(3);
    expect(finish).not.toHaveBeenCalled();
    await clock.advanceAsync(49);
    expect(batches).toEqual([]);
    await clock.advanceAsync(1);
    expect(batches).toEqual([ids(3)]);
    expect(observer.written.mock.calls).toEqual([[3]]);
    expect(queue.waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("does not let a hundred wait for company, and leaves room between hundreds", async () => {
    const { clock, batches, finish, add } = open();
    add(250);
    expect(finish).not.toHaveBeenCalled();
    clock.advance(0);
    await clock.advanceAsync(0);
    expect(finish).toHaveBeenCalledTimes(250);
    expect(batches.flat()).toEqual(ids(250));
  });

  it("keeps the order while the log is slow, and writes one batch at a time", async () => {
    const taken: (() => void)[] = [];
    const { clock, batches, log, add, queue } = open(() => new Promise((resolve) => taken.push(resolve)));
    add(10);
    await clock.advanceAsync(50);
    add(20, 10);
    await clock.advanceAsync(60);
    expect(log.append).toHaveBeenCalledTimes(1);
    expect(queue.waiting).toBe(30);
    taken.shift()?.();
    await vi.waitFor(() => expect(log.append).toHaveBeenCalledTimes(2));
    taken.shift()?.();
    await queue.flush();
    expect(batches.flat()).toEqual(ids(30));
  });

  it("drops and counts what a log that hangs leaves no room for, and says that it is slow", async () => {
    const { clock, observer, add, queue } = open(never);
    add(MAX_WAITING);
    await clock.advanceAsync(50);
    expect(observer.dropped).not.toHaveBeenCalled();
    add(5, MAX_WAITING);
    expect(observer.dropped.mock.calls).toEqual(Array.from({ length: 5 }, () => ["queue_full", 1]));
    expect(queue.waiting).toBe(MAX_WAITING);
    await clock.advanceAsync(5_000);
    expect(observer.slow.mock.calls).toEqual([[5_000]]);
  });

  it("counts what a failing log lost, and goes on with the next", async () => {
    const failure = new Error("no space left");
    let fails = true;
    const { clock, batches, observer, add } = open(async () => {
      if (fails) throw failure;
    });
    add(3);
    await clock.advanceAsync(50);
    expect(observer.dropped.mock.calls).toEqual([["write_failed", 3, failure]]);
    fails = false;
    add(2);
    await clock.advanceAsync(50);
    expect(observer.written.mock.calls).toEqual([[2]]);
    expect(batches).toHaveLength(2);
  });

  it("loses one that cannot be told, and no other", async () => {
    const { clock, batches, observer, queue, add } = open();
    add(1);
    queue.add("broken");
    add(1, 1);
    await clock.advanceAsync(50);
    expect(batches).toEqual([["c0", "c1"]]);
    expect(observer.dropped.mock.calls).toEqual([["write_failed", 1, new Error("cannot be told")]]);
  });

  it("flushes what waits at once", async () => {
    const { clock, batches, queue, add } = open();
    add(1_234);
    await queue.flush();
    expect(batches.flat()).toEqual(ids(1_234));
    expect(clock.pending).toBe(0);
    add(1, 1_234);
    await clock.advanceAsync(50);
    expect(batches.flat()).toHaveLength(1_235);
  });

  it("stops with everything written, and takes nothing more", async () => {
    const { clock, batches, observer, queue, add } = open();
    add(7);
    expect(await queue.stop(100)).toBe(true);
    expect(batches.flat()).toEqual(ids(7));
    add(2);
    expect(observer.dropped.mock.calls).toEqual([
      ["stopped", 1],
      ["stopped", 1],
    ]);
    expect(clock.pending).toBe(0);
  });

  it("stops in time with a log that hangs, and counts what is lost", async () => {
    const { clock, observer, queue, add } = open(never);
    add(7);
    const stopped = queue.stop(100);
    await clock.advanceAsync(100);
    expect(await stopped).toBe(false);
    expect(observer.dropped.mock.calls).toEqual([["stopped", 7]]);
  });
});
