import type { Outcome, SchemaCompiler, ToolgateError, Violation } from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { validate } from "./validate.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };
const tool = aTool({ name: "weather", inputSchema: aSchema({ type: "object" }) });

function finding(...violations: Violation[]): SchemaCompiler {
  return { inspect: () => [], validate: vi.fn(() => violations), fillDefaults: (_schema, args) => args };
}

stageSuite("validate", { stage: validate(finding()), call: (signal) => aReadyCall({ tool, signal }), answer: ANSWER });

async function refusal(...violations: Violation[]): Promise<ToolgateError> {
  const next = vi.fn(async () => ANSWER);
  const run = async () => validate(finding(...violations)).run(aReadyCall({ tool }), next);
  const error = await run().catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: { violations } });
  expect(next).not.toHaveBeenCalled();
  return error;
}

const at = (path: string): Violation => ({ path, expected: "a string", got: "an integer" });

describe("validate", () => {
  it("checks the arguments by the tool's own schema", async () => {
    const schemas = finding();
    const args = { city: "Oslo" };
    await validate(schemas).run(aReadyCall({ tool, args }), async () => ANSWER);
    expect(schemas.validate).toHaveBeenCalledExactlyOnceWith(tool.inputSchema, args);
  });

  it("takes anything for a tool without a schema", async () => {
    const call = aReadyCall({ args: { anything: [1] } });
    expect(await validate(finding(at("/anything"))).run(call, async () => ANSWER)).toBe(ANSWER);
  });

  it("names tool, place, what was expected and what was there", async () => {
    expect((await refusal(at("/city"))).message).toBe(
      'The arguments of "weather" do not fit its schema: /city: expected a string, got an integer.',
    );
    expect((await refusal(at(""))).message).toContain("schema: the whole: expected a string");
  });

  it("hands over every violation, and words the first five", async () => {
    const { message } = await refusal(...[..."abcdefg"].map((key) => at(`/${key}`)));
    expect(message).toContain("/e:");
    expect(message).not.toContain("/f:");
    expect(message).toMatch(/; and 2 more\.$/);
  });
});
