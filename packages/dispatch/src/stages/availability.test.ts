import { checkKey, type Health, type Outcome, type ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { availability } from "./availability.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };

stageSuite("availability", { stage: availability(), call: (signal) => aReadyCall({ signal }), answer: ANSWER });

const check = { kind: "env", settings: { name: "KEY" } };
const checked = (health: Health): ReadyParts => ({
  tool: aTool({ check }),
  registry: { health: new Map([[checkKey(check), health]]) },
});

async function refusal(parts: ReadyParts): Promise<ToolgateError> {
  const next = vi.fn(async () => ANSWER);
  const error = await (async () => availability().run(aReadyCall(parts), next))().catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "TOOL_UNAVAILABLE" });
  expect(next).not.toHaveBeenCalled();
  return error;
}

describe("availability", () => {
  it("refuses a tool whose check fails, with the check's reason", async () => {
    const error = await refusal(checked({ state: "unavailable", reason: "the variable KEY is not set" }));
    expect(error.message).toBe('The tool "echo" cannot be used now: the variable KEY is not set.');
    expect(error.retryable).toBe(true);
  });

  it.each([
    ["an operator switched it off", { registry: { disabledTools: new Set(["echo"]) } }, "by an operator"],
    ["its toolset is off", { registry: { disabledToolsets: new Set(["demo"]) } }, "by an operator"],
    ["its definition says so", { tool: aTool({ enabled: false }) }, "enabled: false"],
  ])("watch-08 (openlinker-project/openlinker#1932): refuses a tool when %s", async (_why, parts, reason) => {
    expect((await refusal(parts)).message).toContain(reason);
  });

  it.each([
    ["healthy", ""],
    ["degraded", "no answer to the check within 2 s"],
    ["unknown", "not checked yet"],
  ] as const)("serves a tool that is %s", async (state, reason) => {
    expect(await availability().run(aReadyCall(checked({ state, reason })), async () => ANSWER)).toBe(ANSWER);
  });
});
