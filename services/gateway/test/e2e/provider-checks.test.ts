import { type Check, defineTool, serve } from "@toolgate/provider";
import { expect, onTestFinished } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { fastClock } from "./harness/fast-clock.ts";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { verifies } from "./verifies.ts";

/** A check that answers what the test says, and counts. */
function scriptedCheck(answer: boolean | string) {
  const state = { answer, asked: 0 };
  const check: Check = () => {
    state.asked += 1;
    return state.answer;
  };
  return { state, check };
}

function countedTool(name: string, check?: Check) {
  const calls = { count: 0 };
  const tool = defineTool({
    name,
    description: name,
    schema: { type: "object" },
    handler: async () => {
      calls.count += 1;
      return name;
    },
    ...(check === undefined ? {} : { check }),
  });
  return { tool, calls };
}

async function provide(gateway: TestGateway, options: Omit<Parameters<typeof serve>[0], "gateway" | "toolset">) {
  // The gateway's clock runs fast, and the provider's does not: a lease must last for the whole test.
  const kept = { leaseMs: 3_600_000, handleSignals: false };
  const provider = await serve({ gateway: gateway.grpc, toolset: "mine", ...kept, ...options });
  onTestFinished(() => provider.stop());
  return provider;
}

async function stateOf(gateway: TestGateway, name: string) {
  const { tools } = await gateway.client.listTools({ name, includeUnavailable: true });
  return tools[0]?.health.state;
}

/** Without a deadline, which the gateway's fast clock would find to be over. */
const call = async (gateway: TestGateway, tool: string) => (await callHttp(gateway, { tool })).envelope;

const namesOf = async (gateway: TestGateway) => (await gateway.client.listTools()).tools.map(({ name }) => name);

verifies("provider.check", "of a tool: healthy, a flake, down, and back again", async () => {
  // 30 s between checks are 2.5 s here, and the 60 s of grace are 5 s.
  const gateway = await testGateway({ clock: fastClock(12) });
  const { state, check } = scriptedCheck(true);
  const { tool, calls } = countedTool("checked", check);
  await provide(gateway, { tools: [tool, countedTool("plain").tool] });
  await eventually(() => stateOf(gateway, "checked")).toBe("healthy");
  expect(await call(gateway, "checked")).toMatchObject({ data: "checked" });

  state.answer = "the database is away";
  await eventually(() => stateOf(gateway, "checked")).toBe("degraded");
  expect(await call(gateway, "checked")).toMatchObject({ data: "checked" });

  await eventually(() => stateOf(gateway, "checked")).toBe("unavailable");
  expect(await namesOf(gateway)).toEqual(["plain"]);
  expect(await call(gateway, "checked")).toMatchObject({
    status: "error",
    error: { code: "TOOL_UNAVAILABLE", message: expect.stringContaining("the database is away") },
  });
  expect(calls.count).toBe(2);
  expect(await call(gateway, "plain")).toMatchObject({ data: "plain" });

  state.answer = true;
  await eventually(() => namesOf(gateway)).toEqual(["checked", "plain"]);
  expect(await call(gateway, "checked")).toMatchObject({ data: "checked" });
});

verifies(
  "provider.check",
  "of the provider as a whole: its toolset's health, and that of tools without a check",
  async () => {
    const gateway = await testGateway({ clock: fastClock(12) });
    const [whole, own] = [scriptedCheck("still loading"), scriptedCheck(true)];
    const tools = [countedTool("a").tool, countedTool("b").tool, countedTool("own", own.check).tool];
    const provider = await provide(gateway, { tools, check: whole.check });
    await eventually(() => stateOf(gateway, "own")).toBe("healthy");
    await eventually(() => namesOf(gateway)).toEqual(["own"]);
    const { toolsets } = await gateway.client.listTools();
    expect(toolsets).toMatchObject([
      {
        name: "mine",
        availableTools: 1,
        health: { state: "unavailable", reason: expect.stringContaining("still loading") },
      },
    ]);
    expect(toolsets[0]?.health.reason).toBe(`the provider at ${provider.address} says: still loading`);
    // One question for all that share it: not one for each tool.
    expect(whole.state.asked).toBeLessThan(5);
    whole.state.answer = true;
    await eventually(() => namesOf(gateway)).toEqual(["a", "b", "own"]);
  },
);

verifies(
  "provider.check",
  "a tool is usable while one of its instances says so; without a check nobody is asked",
  async () => {
    const gateway = await testGateway({ clock: fastClock(12) });
    const [yes, no] = [scriptedCheck(true), scriptedCheck("no")];
    const leaseSecret = "a-secret-of-both-instances";
    await provide(gateway, { leaseSecret, tools: [countedTool("t", no.check).tool] });
    await eventually(() => stateOf(gateway, "t")).toBe("unavailable");
    await provide(gateway, { leaseSecret, tools: [countedTool("t", yes.check).tool] });
    await eventually(() => stateOf(gateway, "t")).toBe("healthy");
    expect((await gateway.client.listTools()).tools).toMatchObject([{ name: "t", instances: 2 }]);
  },
);
