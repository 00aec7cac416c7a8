import { type Call, checkKey, compileAccess, type Outcome, type ToolEntry, ToolgateError } from "@toolgate/core";
import { aCall, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import type { Tracked } from "./envelope.ts";
import { resolve } from "./resolve.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };

/** What `resolve` is handed; only what was found can be written there. */
function track(parts: Partial<Call> = {}): Tracked {
  let found: ToolEntry | undefined;
  return {
    call: aCall(parts),
    get entry() {
      return found;
    },
    set entry(entry) {
      found = entry;
    },
  };
}

stageSuite("resolve", {
  stage: resolve({ snapshot: () => aSnapshot([aTool()]) }),
  call: (signal) => track({ signal }),
  answer: ANSWER,
});

const check = { kind: "env", settings: { name: "KEY" } };
const down = { state: "unavailable", reason: "KEY is not set" } as const;
const registry = aSnapshot(
  [
    aTool({ name: "web_search", capabilities: ["search"], scopes: ["web"] }),
    aTool({ name: "site_search", capabilities: ["search"], check }),
    aTool({ name: "vault_search", capabilities: ["search", "secrets"], scopes: ["vault"] }),
    aTool({ name: "weather" }),
  ],
  { health: new Map([[checkKey(check), down]]) },
);

const caller = (...scopes: string[]) => ({ id: "ann", admin: false, scopes: new Set(scopes) });

/** Runs the stage on the registry above: the tool it found, or the error. */
async function found(parts: Partial<Call>): Promise<string | ToolgateError> {
  let name = "";
  const tracked = track(parts);
  try {
    const { run } = resolve({ snapshot: () => registry });
    await run(tracked, async ({ entry, snapshot }) => {
      expect(snapshot).toBe(registry);
      expect(tracked.entry).toBe(entry);
      name = entry.tool.name;
      return ANSWER;
    });
    return name;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolgateError);
    expect(tracked.entry).toBeUndefined();
    return error as ToolgateError;
  }
}

async function notFound(parts: Partial<Call>): Promise<ToolgateError> {
  const error = await found(parts);
  expect(error).toMatchObject({ code: "TOOL_NOT_FOUND" });
  return error as ToolgateError;
}

const tool = (name: string) => ({ target: { kind: "tool", name } }) as const;
const capability = (name: string) => ({ target: { kind: "capability", name } }) as const;

describe("resolve", () => {
  it("finds a tool by its exact name, also one that the caller may not call: the next stage refuses", async () => {
    expect(await found({ ...tool("weather"), caller: caller() })).toBe("weather");
    expect(await found({ ...tool("vault_search"), caller: caller() })).toBe("vault_search");
    expect(await notFound(tool("Weather"))).toMatchObject({ details: { nearNames: ["weather"] } });
  });

  it("keeps the registry of the moment for the rest of the call", async () => {
    const before = aSnapshot([aTool()]);
    let now = before;
    await resolve({ snapshot: () => now }).run(track(), async ({ snapshot }) => {
      now = aSnapshot([]);
      expect(snapshot).toBe(before);
      return ANSWER;
    });
    expect.assertions(1);
  });

  it("says near names, closest first, and only of tools that the caller may call", async () => {
    const near = async (name: string, ...scopes: string[]) =>
      (await notFound({ ...tool(name), caller: caller(...scopes) })).details.nearNames;
    expect(await near("web-serch", "web", "vault")).toEqual(["web_search"]);
    expect(await near("vault_serch")).not.toContain("vault_search");
    expect(await near("vault_serch", "vault")).toContain("vault_search");
    expect((await notFound(tool("wether"))).message).toBe('There is no tool named "wether". Did you mean "weather"?');
  });

  it("says what to do where nothing is near", async () => {
    const { message, details } = await notFound(tool("something-quite-different"));
    expect(details.nearNames).toEqual([]);
    expect(message).toContain("List the tools");
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", ""])(
    "security-12 (node-config/node-config#906): knows no tool, capability or pipeline %j",
    async (name) => {
      for (const kind of ["tool", "capability", "pipeline"] as const) await notFound({ target: { kind, name } });
    },
  );

  it("takes the first usable tool with a capability, by name", async () => {
    expect(await found(capability("search"))).toBe("vault_search");
    expect(await found({ ...capability("search"), caller: caller("web") })).toBe("web_search");
  });

  it("takes a tool that cannot be used where there is no other: its reason is worth more than 'not found'", async () => {
    expect(await found({ ...capability("search"), caller: caller() })).toBe("site_search");
  });

  it("does not tell of a capability that only tools have which the caller may not call", async () => {
    const { message, details } = await notFound({ ...capability("secrets"), caller: caller() });
    expect(details.nearNames).toEqual([]);
    expect(message).toContain('no capability named "secrets"');
    expect((await notFound({ ...capability("serch"), caller: caller() })).details.nearNames).toEqual(["search"]);
  });

  it("takes a forbidden tool for one that does not exist, where it is hidden (github/gh-aw-mcpg#3332)", async () => {
    const hidden = { ...caller("web"), access: compileAccess({ hideForbidden: true }) };
    const forbidden = await notFound({ ...tool("vault_search"), caller: hidden });
    const unknown = await notFound({ ...tool("vault_searcs"), caller: hidden });
    expect({ ...forbidden.details, message: forbidden.message.replace("vault_search", "") }).toEqual({
      ...unknown.details,
      message: unknown.message.replace("vault_searcs", ""),
    });
    expect(await found({ ...tool("web_search"), caller: hidden })).toBe("web_search");
  });

  it("calls by name or capability what is not listed, and does not suggest it", async () => {
    const trimmed = { ...caller(), access: compileAccess({ list: [{ tool: "site_*" }] }) };
    expect(await found({ ...tool("weather"), caller: trimmed })).toBe("weather");
    expect((await notFound({ ...tool("wether"), caller: trimmed })).details.nearNames).toEqual([]);
  });

  it("knows no pipelines yet", async () => {
    const { message } = await notFound({ target: { kind: "pipeline", name: "weather" } });
    expect(message).toContain('no pipeline named "weather"');
  });

  it("quotes only the beginning of a very long name", async () => {
    expect((await notFound(tool("x".repeat(100_000)))).message.length).toBeLessThan(300);
  });
});
