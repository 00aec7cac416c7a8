import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** "a1" is the first thing of owner "a". */
const ownerOf = (item: string) => item[0] as string;

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(ownerOf(item), item);
  return queue;
}

function served(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let item = queue.next; item !== undefined; item = queue.next) {
    queue.serve(ownerOf(item), item);
    order.push(item);
  }
  return order;
}

describe("a fair queue", () => {
  it("serves owners in turn, and what one owner has in its order", () => {
    expect(served(queueOf("a1", "a2", "a3", "b1", "c1", "b2"))).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("gives a newcomer its turn before the second thing of anybody", () => {
    const queue = queueOf("a1", "a2", "a3");
    queue.serve("a", "a1");
    queue.add("b", "b1");
    queue.serve("a", "a2");
    expect(queue.next).toBe("b1");
  });

  it("shows who is next until that is served", () => {
    const queue = queueOf("a1", "b1");
    expect([queue.next, queue.next, queue.size]).toEqual(["a1", "a1", 2]);
  });

  it("forgets what is removed, and leaves the turns as they are", () => {
    const queue = queueOf("a1", "a2", "b1");
    queue.remove("a", "a1");
    queue.remove("a", "a1");
    queue.remove("c", "c1");
    expect(queue.size).toBe(2);
    expect(served(queue)).toEqual(["a2", "b1"]);
    expect([queue.size, queue.next]).toEqual([0, undefined]);
  });

  it("lets the newest of whoever has most give way, where that is fairer then", () => {
    const queue = queueOf("a1", "b1", "b2", "b3", "c1");
    expect(queue.makesWayFor("d")).toBe("b3");
    expect(queue.makesWayFor("a")).toBe("b3");
    expect(queue.makesWayFor("b")).toBeUndefined();
    expect(queueOf("b1", "b2").makesWayFor("a")).toBe("b2");
    expect(queueOf("b1").makesWayFor("a")).toBeUndefined();
    expect(queueOf("a1", "b1", "b2").makesWayFor("a")).toBeUndefined();
    expect(queueOf().makesWayFor("a")).toBeUndefined();
  });

  it("serves everything once, and nobody twice while somebody waits for the first time", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 }), (owners) => {
        const items = owners.map((owner, place) => `${owner}${place}`);
        const order = served(queueOf(...items));
        expect([...order].sort()).toEqual([...items].sort());
        const turns = new Map<string, number>();
        for (const [place, item] of order.entries()) {
          const turn = (turns.get(ownerOf(item)) ?? 0) + 1;
          turns.set(ownerOf(item), turn);
          for (const other of new Set(order.slice(place + 1).map(ownerOf))) {
            expect(turns.get(other) ?? 0).toBeGreaterThanOrEqual(turn - 1);
          }
        }
      }),
    );
  });
});
