import type { JsonObject, Outcome, ReadyCall } from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { coerce } from "./coerce.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };
const tool = aTool({ inputSchema: aSchema({ type: "object", properties: { days: { type: "integer" } } }) });

stageSuite("coerce", { stage: coerce(), call: (signal) => aReadyCall({ signal, tool }), answer: ANSWER });

async function handedOn(call: ReadyCall, stage = coerce()): Promise<ReadyCall> {
  let seen: ReadyCall | undefined;
  await stage.run(call, async (next) => {
    seen = next;
    return ANSWER;
  });
  return seen as ReadyCall;
}

describe("coerce", () => {
  it("reads arguments by the tool's schema, forgets their text, and says what it changed", async () => {
    const args = { days: "3", city: "5" };
    const call = await handedOn(aReadyCall({ tool, args, argsText: '{"days":"3","city":"5"}' }));
    expect(call.args).toEqual({ days: 3, city: "5" });
    expect(call).not.toHaveProperty("argsText");
    expect(call.trail.warnings).toEqual(['Argument /days: "3" was read as 3.']);
    expect(args).toEqual({ days: "3", city: "5" });
  });

  it("hands on the very call, with its text, where the arguments fit", async () => {
    const call = aReadyCall({ tool, args: { days: 3 }, argsText: '{ "days": 3.0 }' });
    expect(await handedOn(call)).toBe(call);
    expect(call.trail.warnings).toEqual([]);
  });

  it("coercion-13 (aaif-goose/goose#5478): changes nothing for a tool without a schema", async () => {
    const call = aReadyCall({ args: { n: "42" } });
    expect(await handedOn(call)).toBe(call);
  });

  it("reads by each tool's own schema, the second time too", async () => {
    const stage = coerce();
    const other = aTool({ inputSchema: aSchema({ type: "object", properties: { days: { type: "string" } } }) });
    const daysOf = async (called: typeof tool): Promise<JsonObject> =>
      (await handedOn(aReadyCall({ tool: called, args: { days: "3" } }), stage)).args;
    for (let i = 0; i < 2; i += 1) {
      expect(await daysOf(tool)).toEqual({ days: 3 });
      expect(await daysOf(other)).toEqual({ days: "3" });
    }
  });
});
