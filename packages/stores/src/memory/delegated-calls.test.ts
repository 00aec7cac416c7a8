import { aDelegatedCall, delegatedCallsSuite } from "@toolgate/testkit/delegated-calls-suite";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { createMemoryDelegatedCalls } from "./delegated-calls.ts";

function open(capacity = 10) {
  const clock = createFakeClock();
  return { clock, calls: createMemoryDelegatedCalls({ clock, keepMs: 1_000, capacity }) };
}

delegatedCallsSuite("memory", async () => open().calls);

describe("createMemoryDelegatedCalls", () => {
  it("forgets after its time", async () => {
    const { clock, calls } = open();
    await calls.add(aDelegatedCall());
    clock.advance(999);
    await calls.add(aDelegatedCall({ callId: "c2" }));
    clock.advance(1);
    expect(await calls.take("ann", "c1")).toBeUndefined();
    expect(await calls.take("ann", "c2")).toBeDefined();
  });

  it("forgets the oldest where there are too many", async () => {
    const { calls } = open(3);
    for (const callId of ["c1", "c2", "c3", "c1", "c4"]) await calls.add(aDelegatedCall({ callId }));
    expect(await calls.take("ann", "c2")).toBeUndefined();
    for (const callId of ["c1", "c3", "c4"]) expect(await calls.take("ann", callId)).toBeDefined();
  });
});
