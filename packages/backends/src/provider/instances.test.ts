import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Instances, type Reachable } from "./instances.ts";

let now = 0;
let instances: Instances;
const [a, b, c] = ["a", "b", "c"].map((leaseId) => ({ leaseId, address: `${leaseId}:1` })) as [
  Reachable,
  Reachable,
  Reachable,
];

beforeEach(() => {
  now = 0;
  instances = new Instances(() => now);
});

function chosen(among: readonly Reachable[]): string {
  const choice = instances.choose(among);
  return choice.kind === "instance" ? choice.instance.leaseId : choice.kind;
}

describe("the next instance", () => {
  it("is each in turn while all are as busy", () => {
    const turns = Array.from({ length: 6 }, () => chosen([a, b, c]));
    expect(turns.slice(0, 3).sort()).toEqual(["a", "b", "c"]);
    expect(turns.slice(3)).toEqual(turns.slice(0, 3));
  });

  it("is the one with the fewest calls in flight", () => {
    instances.enter(a);
    instances.enter(b);
    instances.enter(b);
    expect([chosen([a, b, c]), chosen([a, b, c])]).toEqual(["c", "c"]);
    expect([chosen([a, b]), chosen([a, b])]).toEqual(["a", "a"]);
    instances.leave(b);
    instances.leave(b);
    expect(chosen([a, b])).toBe("b");
  });

  it("is none that could not be reached, until its time is over", () => {
    instances.unreachable(a, "refused");
    expect([chosen([a, b]), chosen([a, b])]).toEqual(["b", "b"]);
    expect(instances.choose([a])).toEqual({ kind: "all-out", words: "refused", waitMs: 100 });
    now = 100;
    expect(chosen([a])).toBe("a");
  });

  it("leaves one that may be back to be found out about, once", () => {
    instances.unreachable(a, "refused");
    now = 100;
    expect(instances.choose([a, b])).toMatchObject({ instance: b, due: [a] });
    instances.trying(a);
    expect(instances.choose([a, b])).toMatchObject({ instance: b, due: [] });
    instances.reached(a);
    instances.enter(b);
    expect(chosen([a, b])).toBe("a");
  });

  it("is left out longer each time, and at most 5 s", () => {
    const waits = Array.from({ length: 8 }, () => {
      instances.unreachable(a, "refused");
      const choice = instances.choose([a]);
      const waitMs = choice.kind === "all-out" ? choice.waitMs : 0;
      now += waitMs;
      return waitMs;
    });
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    instances.reached(a);
    instances.unreachable(a, "refused");
    expect(instances.choose([a])).toMatchObject({ waitMs: 100 });
  });

  it("is left out as long when many calls fail together as when one does", () => {
    for (let n = 0; n < 50; n += 1) instances.unreachable(a, "refused");
    expect(instances.choose([a])).toMatchObject({ waitMs: 100 });
  });

  it("has a clean record once its process registers again", () => {
    instances.unreachable(a, "refused");
    expect(chosen([{ ...a, leaseId: "a2" }])).toBe("a2");
  });

  it("tells why all are out, and when the first is tried again", () => {
    instances.unreachable(a, "refused");
    now = 40;
    instances.unreachable(b, "no name");
    expect(instances.choose([a, b])).toEqual({ kind: "all-out", words: "refused; no name", waitMs: 60 });
  });

  it("is always one of the least busy, whatever starts and ends (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (steps) => {
        const fresh = new Instances(() => 0);
        const running: Reachable[] = [];
        for (const starts of steps) {
          const ended = starts ? undefined : running.shift();
          if (ended === undefined) running.push(enterLeastBusy(fresh, running));
          else fresh.leave(ended);
        }
      }),
    );
  });
});

function enterLeastBusy(fresh: Instances, running: readonly Reachable[]): Reachable {
  const callsOf = (instance: Reachable) => running.filter((other) => other === instance).length;
  const choice = fresh.choose([a, b, c]);
  if (choice.kind !== "instance") throw new Error("none was chosen");
  expect(callsOf(choice.instance)).toBe(Math.min(...[a, b, c].map(callsOf)));
  fresh.enter(choice.instance);
  return choice.instance;
}
