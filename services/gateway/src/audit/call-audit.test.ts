import { type Envelope, fail, ok, ToolgateError } from "@toolgate/core";
import { aCall, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { createFakeClock, FAKE_START } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { type AuditItem, callAudit, finishItem } from "./call-audit.ts";

const call = aCall({
  callId: "c1",
  sessionId: "s1",
  caller: { id: "ann", admin: false },
  door: "http",
  input: { encoding: "text", text: '{"a":1}' },
});
const entry = aSnapshot([aTool()]).tools.get("echo");

function audited(ending: { envelope: Envelope; entry?: typeof entry; call?: typeof call }): AuditItem {
  const items: AuditItem[] = [];
  const clock = createFakeClock();
  clock.advance(500);
  callAudit({ add: (item) => items.push(item) }, clock).ended({ call, entry: undefined, ...ending });
  expect(items).toHaveLength(1);
  return items[0] as AuditItem;
}

describe("callAudit", () => {
  it("tells who did what when, through which door, and how it ended", () => {
    Object.assign(call.trail, { attempts: 2, backendMs: 90 });
    const envelope = ok({ kind: "success", data: { value: 1 } }, { call, entry, now: 200 });
    const item = audited({ envelope, entry });
    expect(finishItem(item, "redacted")).toEqual({
      kind: "call",
      time: FAKE_START + 300,
      latencyMs: 200,
      caller: "ann",
      door: "http",
      callId: "c1",
      sessionId: "s1",
      tool: "echo",
      toolset: "demo",
      backend: "http:demo.example",
      action: "",
      status: "success",
      code: "",
      backendMs: 90,
      attempts: 2,
      argumentsSha256: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
      arguments: { a: 1 },
      detail: "",
    });
    // The result is not kept with it.
    expect(Object.keys(item)).toEqual(["entry", "input"]);
  });

  it("tells of a call without a tool what was asked for, within bounds", () => {
    const long = {
      ...call,
      target: { kind: "tool" as const, name: "n".repeat(10_000) },
      sessionId: "s".repeat(10_000),
    };
    const envelope = fail(new ToolgateError("TOOL_NOT_FOUND", "There is none."), {
      call: long,
      entry: undefined,
      now: 1,
    });
    const { entry: told } = audited({ envelope, call: long });
    expect(told).toMatchObject({ status: "error", code: "TOOL_NOT_FOUND", toolset: "", backend: "" });
    expect([told.tool.length, told.sessionId.length]).toEqual([128, 128]);
  });
});
