import { compileAccess, type Outcome, type ToolgateError } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it, vi } from "vitest";
import { authorize } from "./authorize.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };

stageSuite("authorize", { stage: authorize(), call: (signal) => aReadyCall({ signal }), answer: ANSWER });

const tool = aTool({ scopes: ["mail:read", "mail:send"] });
const ann = (...scopes: string[]) => ({ id: "ann", admin: false, scopes: new Set(scopes) });

describe("authorize", () => {
  it("needs all scopes of the tool, and names those that are missing", async () => {
    const next = vi.fn(async () => ANSWER);
    const run = async () => authorize().run(aReadyCall({ tool, caller: ann("mail:read", "other") }), next);
    const error = await run().catch((thrown: ToolgateError) => thrown);
    expect(error).toMatchObject({ code: "PERMISSION_DENIED", retryable: false });
    expect((error as ToolgateError).message).toBe('The caller "ann" may not use "echo": it lacks mail:send.');
    expect(next).not.toHaveBeenCalled();
  });

  it.each([
    ["every scope of the tool", ann("mail:send", "mail:read")],
    ["no list of scopes at all: then it has every one", { id: "ann", admin: false }],
  ])("lets a caller pass that has %s", async (_what, caller) => {
    expect(await authorize().run(aReadyCall({ tool, caller }), async () => ANSWER)).toBe(ANSWER);
  });

  it("refuses what the caller's own rules do not allow, and says no more of them", async () => {
    const caller = { id: "ann", admin: false, access: compileAccess({ deny: [{ tool: "e*" }] }) };
    const run = async () => authorize().run(aReadyCall({ caller }), async () => ANSWER);
    await expect(run()).rejects.toThrow('The caller "ann" may not use "echo": its rules do not allow it.');
  });

  it("does not take an admin for somebody with every scope", async () => {
    const run = async () =>
      authorize().run(aReadyCall({ tool, caller: { ...ann(), admin: true } }), async () => ANSWER);
    await expect(run()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });
});
