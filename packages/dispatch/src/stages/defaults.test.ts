import type { Outcome, ReadyCall, SchemaCompiler } from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { defaults } from "./defaults.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };
const schema = aSchema({ type: "object" });
/** Fills in `units` where it is missing. */
const schemas: SchemaCompiler = {
  inspect: () => [],
  validate: () => [],
  fillDefaults: (_schema, args) => ("units" in args ? args : { ...args, units: "metric" }),
};

stageSuite("defaults", { stage: defaults(schemas), call: (signal) => aReadyCall({ signal }), answer: ANSWER });

async function handedOn(call: ReadyCall): Promise<ReadyCall> {
  let seen: ReadyCall | undefined;
  await defaults(schemas).run(call, async (next) => {
    seen = next;
    return ANSWER;
  });
  return seen as ReadyCall;
}

describe("defaults", () => {
  const tool = aTool({ inputSchema: schema });

  it("fills in what was left out, and forgets the text, which does not say it", async () => {
    const args = { city: "Oslo" };
    const call = await handedOn(aReadyCall({ tool, args, argsText: '{"city":"Oslo"}' }));
    expect(call.args).toEqual({ city: "Oslo", units: "metric" });
    expect(call).not.toHaveProperty("argsText");
    expect(args).toEqual({ city: "Oslo" });
  });

  it("keeps the call as it is, with its text, where nothing was left out", async () => {
    const call = aReadyCall({ tool, args: { units: "imperial" }, argsText: '{"units": "imperial"}' });
    expect(await handedOn(call)).toBe(call);
  });

  it("coercion-13 (aaif-goose/goose#5478): changes nothing for a tool without a schema", async () => {
    const call = aReadyCall({ args: { n: "42" } });
    expect(await handedOn(call)).toBe(call);
  });
});
