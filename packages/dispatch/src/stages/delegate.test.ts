import type { DelegatedCall, DelegatedCalls, Outcome } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { delegate } from "./delegate.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };

stageSuite("delegate", { stage: delegate(), call: (signal) => aReadyCall({ signal }), answer: ANSWER });

describe("delegate", () => {
  const { backend: _none, ...own } = aTool({ execution: "client" });

  it("hands the arguments of a tool back that the agent runs itself, and goes no further", async () => {
    const next = vi.fn(async () => ANSWER);
    const args = { key: "k" };
    expect(await delegate().run(aReadyCall({ tool: own, args }), next)).toEqual({
      kind: "delegated",
      data: { value: args },
    });
    expect(next).not.toHaveBeenCalled();
  });

  it("remembers whose call it was before it hands it back", async () => {
    const added: DelegatedCall[] = [];
    let kept = false;
    const delegated: Pick<DelegatedCalls, "add"> = {
      async add(call) {
        added.push(call);
        await Promise.resolve();
        kept = true;
      },
    };
    const stage = delegate(delegated as DelegatedCalls);
    const caller = { id: "ann", admin: false };
    await stage.run(aReadyCall({ tool: own, caller, sessionId: "s1" }), async () => ANSWER);
    expect(kept).toBe(true);
    expect(added).toEqual([{ caller: "ann", callId: "call-1", sessionId: "s1", tool: "echo", toolset: "demo" }]);
    await stage.run(aReadyCall(), async () => ANSWER);
    expect(added).toHaveLength(1);
  });

  it("keeps the exact text of arguments that nothing has changed", async () => {
    const call = aReadyCall({ tool: own, args: { n: 1 }, argsText: '{"n": 1.0}' });
    expect(await delegate().run(call, async () => ANSWER)).toEqual({
      kind: "delegated",
      data: { value: { n: 1 }, text: '{"n": 1.0}' },
    });
  });
});
