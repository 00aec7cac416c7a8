import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Execution, HealthState } from "@toolgate/contract";
import { checkKey, type Health, type Snapshot, type ToolEntry, type ToolsetEntry } from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { describe, expect, it } from "vitest";
import { healthToMessage, toolsetToMessage, toolToMessage } from "./tool.ts";

const convert = (snapshot: Snapshot, name = "echo") => toolToMessage(snapshot, snapshot.tools.get(name) as ToolEntry);

describe("healthToMessage", () => {
  it.each([
    ["healthy", HealthState.HEALTHY],
    ["degraded", HealthState.DEGRADED],
    ["unavailable", HealthState.UNAVAILABLE],
    ["unknown", HealthState.UNKNOWN],
  ] as const)("says %s", (state, expected) => {
    const message = healthToMessage({ state, reason: "why", checkedAt: 1_735_689_600_123 });
    expect(message).toMatchObject({ state: expected, reason: "why" });
    expect(message.checkedAt && timestampMs(message.checkedAt)).toBe(1_735_689_600_123);
  });

  it("leaves the time out where nothing was checked", () => {
    expect(healthToMessage({ state: "healthy", reason: "" }).checkedAt).toBeUndefined();
  });
});

describe("toolToMessage", () => {
  it("says all of a tool", () => {
    const tool = aTool({
      title: "t",
      owner: "o",
      contact: "c",
      capabilities: ["a"],
      tags: ["b"],
      scopes: ["s"],
      inputSchema: { text: '{ "type":"object" }', value: { type: "object" } },
      outputSchema: aSchema(true),
      execution: "client",
      timeoutMs: 1_500,
    });
    expect(convert(aSnapshot([tool]))).toMatchObject({
      name: "echo",
      title: "t",
      description: tool.description,
      toolset: "demo",
      owner: "o",
      contact: "c",
      capabilities: ["a"],
      tags: ["b"],
      scopes: ["s"],
      inputSchema: '{ "type":"object" }',
      outputSchema: "true",
      annotations: { idempotent: true },
      execution: Execution.CLIENT,
      backend: "http:demo.example",
      timeout: { seconds: 1n, nanos: 500_000_000 },
      health: { state: HealthState.HEALTHY },
      source: "test",
      revision: "1",
      instances: 1,
      enabled: true,
    });
  });

  it("gives a tool without a schema one that takes any object", () => {
    const message = convert(aSnapshot([aTool()]));
    expect([message.inputSchema, message.outputSchema]).toEqual(['{"type":"object"}', ""]);
  });

  it.each([
    ["its definition", aSnapshot([aTool({ enabled: false })])],
    ["an operator", aSnapshot([aTool()], { disabledTools: new Set(["echo"]) })],
    ["its toolset's switch", aSnapshot([aTool()], { disabledToolsets: new Set(["demo"]) })],
  ])("says that a tool is off by %s, and why", (_what, snapshot) => {
    expect(convert(snapshot)).toMatchObject({ enabled: false, health: { state: HealthState.UNAVAILABLE } });
    expect(convert(snapshot).health?.reason).toContain("switched off");
  });
});

describe("toolsetToMessage", () => {
  it("says how many of its tools can be used, and how it is", () => {
    const check = { kind: "env", settings: { name: "KEY" } };
    const down: Health = { state: "unavailable", reason: "KEY is not set" };
    const snapshot = aSnapshot([aTool({ name: "a" }), aTool({ name: "b", check })], {
      health: new Map([[checkKey(check), down]]),
    });
    const toolset = { ...(snapshot.toolsets.get("demo") as ToolsetEntry), aliases: ["x", "y"] };
    expect(toolsetToMessage(snapshot, toolset)).toMatchObject({
      name: "demo",
      aliases: ["x", "y"],
      health: { state: HealthState.DEGRADED },
      tools: 2,
      availableTools: 1,
      source: "test",
    });
  });
});
