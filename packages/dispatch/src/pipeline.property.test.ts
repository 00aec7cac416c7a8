import { type CallInput, ERROR_CODES, ToolgateError } from "@toolgate/core";
import { aCall } from "@toolgate/testkit/builders";
import { type Script, textReply } from "@toolgate/testkit/scripted-backend";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aLine, stranger, TOOLS } from "../test/line.ts";

describe("whatever comes", () => {
  const scripts: readonly Script[] = [
    () => textReply("{}"),
    () => textReply("", "text/plain"),
    () => textReply("\u{1F389} not json"),
    () => {
      throw new ToolgateError("TOOL_ERROR", "no");
    },
    () => Promise.reject("a text"),
    () => undefined as never,
  ];

  it("answers an envelope, never rejects, and tells the observers once", async () => {
    const name = fc.oneof(fc.constantFrom(...TOOLS.map((tool) => tool.name)), fc.string({ unit: "binary" }));
    const input = fc.oneof(
      fc
        .oneof(fc.json(), fc.string(), fc.constant('{"city":1}'))
        .map((json): CallInput => ({ encoding: "text", text: json })),
      fc.dictionary(fc.string(), fc.string()).map((value): CallInput => ({ encoding: "value", value })),
    );
    const call = fc.record({
      target: fc.record({ kind: fc.constantFrom("tool", "capability", "pipeline"), name }),
      input,
      raw: fc.boolean(),
      fields: fc.array(fc.string(), { maxLength: 3 }),
      caller: fc.constantFrom(aCall().caller, stranger),
    });
    await fc.assert(
      fc.asyncProperty(call, fc.constantFrom(...scripts), async (parts, script) => {
        const { dispatcher, started, ended, clock } = aLine(script);
        const envelope = await dispatcher.call(aCall(parts));
        expect(["success", "delegated", "error"]).toContain(envelope.status);
        if (envelope.status === "error") expect(ERROR_CODES).toHaveProperty(envelope.error.code);
        else expect(envelope).toHaveProperty("data.value");
        expect([started.length, ended.length, clock.pending]).toEqual([1, 1, 0]);
        expect(ended[0]?.envelope).toBe(envelope);
      }),
      { numRuns: 300 },
    );
  });
});
