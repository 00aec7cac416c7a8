import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool, registryAfter } from "../../test/builders.ts";
import { applyCommand } from "./apply.ts";
import type { Command, RegisterCommand } from "./commands.ts";
import { resolveToolset } from "./resolve.ts";
import { checkKey, EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";

const offering = (name: string, tools: readonly string[], aliases: readonly string[] = []) =>
  anOffer({ name, aliases, tools: tools.map((tool) => aTool({ name: tool })) });
const outcomes = (snapshot: Snapshot, command: RegisterCommand) =>
  applyCommand(snapshot, command).result.outcomes.map((outcome) =>
    outcome.status === "refused" ? outcome.reason : outcome.status,
  );

describe("register", () => {
  it("says who has a taken name, and what to do", () => {
    const snapshot = registryAfter(aRegister());
    const { result } = applyCommand(snapshot, aRegister({ by: "bob", toolsets: [offering("bobs", ["echo"])] }));
    expect(result.outcomes).toEqual([
      {
        tool: "echo",
        status: "refused",
        reason: "NAME_TAKEN",
        message: `The name "echo" is taken by alice's key. A taken name is never overwritten: choose another.`,
      },
    ]);
  });

  it("returns the same maps where nothing in them changed, and the same entries", () => {
    const before = registryAfter(aRegister({ toolsets: [offering("s", ["a", "b"], ["x"])] }));
    const again = applyCommand(before, aRegister({ toolsets: [offering("s", ["a", "b"], ["x"])] })).snapshot;
    expect(
      [again.tools, again.toolsets, again.aliases].map(
        (map, i) => map === [before.tools, before.toolsets, before.aliases][i],
      ),
    ).toEqual([true, true, true]);
    const more = applyCommand(before, aRegister({ toolsets: [offering("s", ["a", "c"], ["x"])] })).snapshot;
    expect(more.tools.get("a")).toBe(before.tools.get("a"));
    expect(more.aliases).toBe(before.aliases);
  });

  it("takes checks with equal settings for the same, big integers included", () => {
    const withCheck = (settings: Record<string, bigint | string>) =>
      aRegister({ toolsets: [anOffer({ check: { kind: "http", settings } })] });
    const before = registryAfter(withCheck({ url: "u", n: 2n ** 64n }));
    expect(applyCommand(before, withCheck({ n: 2n ** 64n, url: "u" })).snapshot.generation).toBe(1);
    expect(applyCommand(before, withCheck({ n: 2n ** 64n + 1n, url: "u" })).snapshot.generation).toBe(2);
    expect(applyCommand(before, aRegister()).snapshot.toolsets.get("demo")).not.toHaveProperty("check");
  });

  it("takes a new source without calling the tool updated", () => {
    const moved = aRegister({ toolsets: [anOffer({ tools: [aTool({ source: "file b.yaml" })] })] });
    expect(outcomes(registryAfter(aRegister()), moved)).toEqual(["unchanged"]);
    const snapshot = registryAfter(aRegister(), moved);
    expect([snapshot.tools.get("echo")?.tool.source, snapshot.generation]).toEqual(["file b.yaml", 2]);
  });

  it("lets an alias go with its tools from one toolset to another in one step", () => {
    const before = aRegister({ toolsets: [offering("github-v1", ["issues"], ["github"])] });
    const renamed = aRegister({ toolsets: [offering("github-v2", ["issues"], ["github"])], replace: true });
    const snapshot = registryAfter(before, renamed);
    expect([...snapshot.toolsets.keys()]).toEqual(["github-v2"]);
    expect(resolveToolset(snapshot, "github")?.name).toBe("github-v2");
  });

  it("frees what one toolset gives up before another claims it, whichever comes first", () => {
    const before = aRegister({ toolsets: [offering("s", ["a"], ["x"]), offering("t", ["b"])] });
    const swapped = aRegister({ toolsets: [offering("t", ["b"], ["x"]), offering("s", ["a"])] });
    expect([...registryAfter(before, swapped).aliases]).toEqual([["x", "t"]]);
  });

  it("takes the first source and check of a toolset that is offered twice, and all its aliases", () => {
    const check = { kind: "env", settings: {} };
    const toolsets = [
      { ...offering("s", ["a"], ["x"]), source: "first", check },
      { ...offering("s", ["b"], ["y"]), source: "second" },
    ];
    const snapshot = registryAfter(aRegister({ toolsets }), aRegister({ toolsets }));
    expect(snapshot.toolsets.get("s")).toMatchObject({
      source: "first",
      check,
      aliases: ["x", "y"],
      tools: ["a", "b"],
    });
    expect(snapshot.generation).toBe(1);
  });

  it("moves a tool between toolsets, back and forth", () => {
    const there = aRegister({ toolsets: [offering("t", ["a"])] });
    const before = aRegister({ toolsets: [offering("s", ["a", "b"])] });
    const moved = registryAfter(before, there);
    expect([moved.toolsets.get("s")?.tools, moved.toolsets.get("t")?.tools]).toEqual([["b"], ["a"]]);
    const back = registryAfter(before, there, before);
    expect([back.toolsets.get("s")?.tools, back.toolsets.has("t")]).toEqual([["a", "b"], false]);
  });

  it("refuses everything under another registrant's lease, and takes nothing from it", () => {
    const before = registryAfter(aRegister());
    const theft = aRegister({ by: "bob", lease: "alice-1", toolsets: [offering("bobs", ["x"])], replace: true });
    expect(outcomes(before, theft)).toEqual(["FORBIDDEN"]);
    expect(applyCommand(before, theft).snapshot).toBe(before);
  });

  it("keeps an offered tool as it was when the new definition is refused", () => {
    const before = registryAfter(
      aRegister({ by: "bob", toolsets: [offering("bobs", ["b"])] }),
      aRegister({ toolsets: [offering("s", ["a", "other"])] }),
    );
    const command = aRegister({ toolsets: [offering("bobs", ["a"])], replace: true });
    const { snapshot, result } = applyCommand(before, command);
    expect(result).toMatchObject({ outcomes: [{ reason: "FORBIDDEN" }], removed: ["other"] });
    expect(snapshot.tools.get("a")?.tool.toolset).toBe("s");
    expect([...(snapshot.leases.get("alice-1")?.tools ?? [])]).toEqual(["a"]);
  });

  it("gives the same registry one by one as all at once", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `tool-${(i * 379) % 1_000}`);
    const oneByOne = registryAfter(...names.map((name) => aRegister({ toolsets: [offering("s", [name])] })));
    const atOnce = registryAfter(aRegister({ toolsets: [offering("s", names)] }));
    expect(oneByOne.generation).toBe(1_000);
    expect(new Map(oneByOne.tools)).toEqual(new Map(atOnce.tools));
    expect(new Map(oneByOne.toolsets)).toEqual(new Map(atOnce.toolsets));
    expect(new Map(oneByOne.leases)).toEqual(new Map(atOnce.leases));
  });
});

describe("a lease that is behind", () => {
  const second = aRegister({ lease: "two" });
  const newer = aRegister({ lease: "two", toolsets: [anOffer({ tools: [aTool({ revision: "2" })] })] });
  const leave = (leaseId: string): Command => ({ type: "deregister", leaseId, registrantId: "alice", tools: [] });
  const renew = { type: "renew", leaseId: "one", registrantId: "alice", now: 1 } as const;
  const first = aRegister({ lease: "one" });

  it("lives on while another lease serves its tool", () => {
    const snapshot = registryAfter(first, second, newer);
    expect(snapshot.leases.get("one")).toMatchObject({ tools: new Set(), superseded: new Set(["echo"]) });
    expect(applyCommand(snapshot, renew).result.known).toBe(true);
  });

  it("is asked to register again once nobody serves it", () => {
    const alone = registryAfter(first, second, newer, leave("two"));
    expect(alone.tools.size).toBe(0);
    expect(applyCommand(alone, renew).result.known).toBe(false);
    const back = registryAfter(first, second, newer, leave("two"), first);
    expect(back.leases.get("one")).toMatchObject({ tools: new Set(["echo"]), superseded: new Set() });
    expect(applyCommand(back, renew).result.known).toBe(true);
  });

  it("is not asked again for what it does not offer any more", () => {
    const other = aRegister({ lease: "one", toolsets: [offering("demo", ["other"])] });
    const snapshot = registryAfter(first, second, newer, leave("two"), other);
    expect(applyCommand(snapshot, renew).result.known).toBe(true);
    const dropped = registryAfter(first, second, newer, { ...other, replace: true }, leave("two"));
    expect(applyCommand(dropped, renew).result.known).toBe(true);
  });

  it("ends like any other", () => {
    expect(registryAfter(first, second, newer, leave("one")).leases.has("one")).toBe(false);
    const expired = registryAfter(first, second, newer, { type: "expire", now: 30_000 });
    expect(expired.leases.size + expired.tools.size + expired.toolsets.size).toBe(0);
  });
});

describe("health and switches", () => {
  const check = { kind: "env", settings: { name: "KEY" } };
  const register = aRegister({ toolsets: [anOffer({ tools: [aTool({ check })] })] });
  const report = (reason: string): Command => ({
    type: "setHealth",
    checkKey: checkKey(check),
    health: { state: "unavailable", reason, checkedAt: 1 },
  });

  it("counts a new reason as a change", () => {
    expect(registryAfter(register, report("a"), report("a"), report("b")).generation).toBe(3);
  });

  it("counts nothing when the first report says what was said without one", () => {
    const health = { state: "unknown", reason: "not checked yet" } as const;
    expect(registryAfter(register, { type: "setHealth", checkKey: checkKey(check), health }).generation).toBe(1);
  });

  it("keeps an answer while something asks for it", () => {
    const drop: Command = { type: "dropHealth", checkKey: checkKey(check) };
    const used = registryAfter(register, report("a"));
    expect(applyCommand(used, drop).snapshot).toBe(used);
    const unused = registryAfter(report("a"), drop);
    expect([unused.health.size, unused.generation]).toEqual([0, 0]);
  });

  it.each(["__proto__", "constructor", "toString"])(
    "security-12 (node-config#906): there is no %s to switch",
    (name) => {
      for (const command of [
        { type: "setToolEnabled", tool: name, enabled: false },
        { type: "setToolsetEnabled", toolset: name, enabled: true },
        { type: "renew", leaseId: name, registrantId: name, now: 0 },
        { type: "deregister", leaseId: name, registrantId: name, tools: [] },
      ] as const) {
        const { snapshot, result } = applyCommand(EMPTY_SNAPSHOT, command);
        expect(result.known).toBe(false);
        expect(snapshot).toBe(EMPTY_SNAPSHOT);
      }
    },
  );
});
