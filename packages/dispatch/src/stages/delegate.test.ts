import type { Outcome } from "@toolgate/core";
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

  it("keeps the exact text of arguments that nothing has changed", async () => {
    const call = aReadyCall({ tool: own, args: { n: 1 }, argsText: '{"n": 1.0}' });
    expect(await delegate().run(call, async () => ANSWER)).toEqual({
      kind: "delegated",
      data: { value: { n: 1 }, text: '{"n": 1.0}' },
    });
  });
});
