import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  GetStatusRequestSchema,
  ListClientsRequestSchema,
  ReloadRequestSchema,
  SetToolEnabledRequestSchema,
  SetToolsetEnabledRequestSchema,
} from "@toolgate/contract";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister } from "@toolgate/testkit/builders";
import { describe, expect, it, vi } from "vitest";
import { aCaller, aContext, OPERATOR } from "../../../test/worlds.ts";
import { adminHandlers } from "./admin.ts";

const problem = { file: "bad.yaml", line: 3, column: 5, message: "expected a name" };

async function open() {
  const registry = createMemoryRegistryStore({ epoch: "one" });
  await registry.apply(
    aRegister({ lease: "1", toolsets: [anOffer({ name: "web", aliases: ["w"], tools: ["search"] })] }),
  );
  await registry.apply(aRegister({ lease: "2", toolsets: [anOffer({ name: "demo", tools: ["echo", "add"] })] }));
  const reload = vi.fn(async () => ({ added: ["a"], changed: ["c"], removed: ["r"], problems: [problem] }));
  const handlers = adminHandlers({
    registry,
    clients: [{ ...aCaller("b", "a"), id: "zoe" }, OPERATOR],
    version: "1.2.3",
    startedAt: 1_735_689_600_000,
    state: () => "ready",
    callsInFlight: () => 4,
    problems: () => [problem],
    reload,
  });
  return { registry, handlers, reload };
}

const operator = aContext({ caller: OPERATOR });
const setTool = (tool: string, enabled: boolean) => create(SetToolEnabledRequestSchema, { tool, enabled });
const setToolset = (toolset: string, enabled: boolean) => create(SetToolsetEnabledRequestSchema, { toolset, enabled });

describe("AdminService", () => {
  it("says how the gateway is, toolsets by name", async () => {
    const { handlers } = await open();
    const status = await handlers.getStatus(create(GetStatusRequestSchema), operator);
    expect(status).toMatchObject({
      state: "ready",
      version: "1.2.3",
      generation: "2",
      tools: 3,
      toolsets: [{ name: "demo" }, { name: "web" }],
      callsInFlight: 4,
      problems: [problem],
    });
    expect(status.startedAt && timestampMs(status.startedAt)).toBe(1_735_689_600_000);
  });

  it("lists the clients by id, without any secret", async () => {
    const { handlers } = await open();
    const { clients } = await handlers.listClients(create(ListClientsRequestSchema), operator);
    expect(clients).toMatchObject([
      { id: "root", admin: true, scopes: [], keys: [] },
      { id: "zoe", admin: false, scopes: ["a", "b"], keys: [] },
    ]);
  });

  it("reloads, and says what changed and what could not be read", async () => {
    const { handlers, reload } = await open();
    expect(await handlers.reload(create(ReloadRequestSchema), operator)).toMatchObject({
      added: ["a"],
      changed: ["c"],
      removed: ["r"],
      problems: [problem],
      generation: "2",
    });
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("switches a tool off and on, and knows no other", async () => {
    const { handlers, registry } = await open();
    expect(await handlers.setToolEnabled(setTool("echo", false), operator)).toMatchObject({
      known: true,
      generation: "3",
    });
    expect(registry.snapshot().disabledTools).toEqual(new Set(["echo"]));
    expect(await handlers.setToolEnabled(setTool("echo", true), operator)).toMatchObject({
      known: true,
      generation: "4",
    });
    expect(registry.snapshot().disabledTools.size).toBe(0);
    for (const name of ["__proto__", "nothing", ""]) {
      expect(await handlers.setToolEnabled(setTool(name, false), operator)).toMatchObject({ known: false });
    }
  });

  it("switches a toolset by its name or an alias", async () => {
    const { handlers, registry } = await open();
    expect(await handlers.setToolsetEnabled(setToolset("w", false), operator)).toMatchObject({ known: true });
    expect(registry.snapshot().disabledToolsets).toEqual(new Set(["web"]));
    expect(await handlers.setToolsetEnabled(setToolset("web", true), operator)).toMatchObject({ known: true });
    expect(registry.snapshot().disabledToolsets.size).toBe(0);
    expect(await handlers.setToolsetEnabled(setToolset("x", false), operator)).toMatchObject({ known: false });
  });

  it("refuses everybody who is no admin, and does nothing for them", async () => {
    const { handlers, registry, reload } = await open();
    const before = registry.snapshot();
    const context = aContext({ caller: aCaller("a") });
    const refused = [
      () => handlers.reload(create(ReloadRequestSchema), context),
      () => handlers.getStatus(create(GetStatusRequestSchema), context),
      () => handlers.listClients(create(ListClientsRequestSchema), context),
      () => handlers.setToolEnabled(setTool("echo", false), context),
      () => handlers.setToolsetEnabled(setToolset("web", false), context),
    ];
    expect(refused).toHaveLength(Object.keys(handlers).length);
    for (const call of refused) {
      await expect(call()).rejects.toMatchObject({
        code: "PERMISSION_DENIED",
        message: expect.stringContaining('The client "ann" is not an admin'),
      });
    }
    expect(reload).not.toHaveBeenCalled();
    expect(registry.snapshot()).toBe(before);
  });
});
