import { createHash } from "node:crypto";
import {
  DEFAULT_LOOP_RULES,
  type JsonObject,
  type Loop,
  type LoopHistory,
  newTrail,
  type Outcome,
  type PastCall,
  type ReadyCall,
  type Tool,
  ToolgateError,
} from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { loopGuard } from "./loop-guard.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");

/** Keeps everything, for ever. */
function aHistory(): LoopHistory & { readonly sessions: ReadonlyMap<string, readonly PastCall[]> } {
  const sessions = new Map<string, PastCall[]>();
  return {
    sessions,
    begin(session, begun) {
      const calls = sessions.get(session) ?? [];
      sessions.set(session, calls);
      const call = { ...begun };
      calls.push(call);
      return {
        calls: [...calls],
        end(ending) {
          if (ending === "not-run") calls.splice(calls.indexOf(call), 1);
          else calls[calls.indexOf(call)] = { ...call, ...ending };
        },
      };
    },
  };
}

function aGuard(history: LoopHistory = aHistory()) {
  const found: [Loop["pattern"], Loop["action"], string][] = [];
  const unguarded: unknown[] = [];
  const observer = {
    found: ({ pattern, action }: Loop, tool: string) => void found.push([pattern, action, tool]),
    unguarded: (error: unknown, callId: string) => void unguarded.push([error, callId]),
  };
  const stage = loopGuard({ history, rules: DEFAULT_LOOP_RULES, digest, observer });
  return { stage, found, unguarded };
}

const reader = aTool({ name: "read", annotations: { readOnly: true } });
const outcome = (value: string | null = "x"): Outcome => ({ kind: "success", data: { value } });

/** A guarded session in which each call takes the next step. */
function aSession(stage = aGuard().stage, sessionId = "s") {
  const ran: JsonObject[] = [];
  const call = async (
    parts: ReadyParts = {},
    answer: (call: ReadyCall) => Outcome | Promise<Outcome> = () => outcome(),
  ) => {
    const trail = newTrail();
    const ready = aReadyCall({ tool: reader, sessionId, trail, ...parts });
    const ended = stage.run(ready, async (next) => {
      next.trail.attempts += 1;
      ran.push(next.args);
      return answer(next);
    });
    return ended.then(
      () => (trail.warnings.length > 0 ? "warned" : "ran"),
      (error: ToolgateError) => error.code,
    );
  };
  return { call, ran };
}

stageSuite("loop-guard", {
  stage: aGuard().stage,
  call: (signal) => aReadyCall({ signal, sessionId: "s" }),
  answer: outcome(),
});

describe("loop-guard", () => {
  it("runs two equal reads, warns of the third and refuses the fourth and fifth", async () => {
    const { stage, found } = aGuard();
    const { call, ran } = aSession(stage);
    const ended = [];
    for (let i = 0; i < 5; i++) ended.push(await call({ args: { path: "a", lines: 5 } }));
    expect(ended).toEqual(["ran", "ran", "warned", "LOOP_DETECTED", "LOOP_DETECTED"]);
    expect(ran).toHaveLength(3);
    expect(found).toEqual([
      ["repeat", "warn", "read"],
      ["repeat", "refuse", "read"],
      ["repeat", "refuse", "read"],
    ]);
  });

  it("takes arguments for equal whatever the order of their keys, and no others", async () => {
    const { call, ran } = aSession();
    const answer = () => outcome(`answer ${ran.length}`);
    const [one, other] = [2n ** 64n, 2n ** 64n + 1n];
    for (const args of [
      { a: 1, b: one },
      { b: one, a: 1 },
    ])
      await call({ args }, answer);
    expect(await call({ args: { a: 1, b: one } }, answer)).toBe("warned");
    expect(await call({ args: { a: 1, b: other } }, answer)).toBe("ran");
  });

  it("takes lone surrogates as they are, and tells them apart", async () => {
    const { call } = aSession();
    for (const text of ["\ud800", "\ud801", "\udfff", "\ufffd"]) {
      expect(await call({ args: { text, [text]: 1 } }, () => outcome(text))).toBe("ran");
    }
  });

  it("refuses a cycle for as long as it goes on, whatever of it is tried next", async () => {
    const { call } = aSession();
    const tools = [reader, aTool({ name: "write", annotations: {} })];
    const ended = [];
    for (let i = 0; i < 60; i++) ended.push(await call({ tool: tools[i % 2] as Tool }));
    expect(ended.slice(0, 4)).toEqual(["ran", "ran", "ran", "ran"]);
    expect(ended.slice(4, 6)).toEqual(["warned", "warned"]);
    expect(new Set(ended.slice(6))).toEqual(new Set(["LOOP_DETECTED"]));
  });

  it("goes on once something else has run", async () => {
    const { call } = aSession();
    for (let i = 0; i < 3; i++) await call();
    expect(await call()).toBe("LOOP_DETECTED");
    await call({ tool: aTool({ name: "write", annotations: {} }) });
    expect(await call()).toBe("ran");
  });

  it.each([
    ["failed before it reached its tool", 0, new ToolgateError("RATE_LIMITED", "wait")],
    ["failed in a way that is safe to try again", 1, new ToolgateError("BACKEND_UNREACHABLE", "away")],
  ])("does not count what %s, nor start anew for it", async (_what, attempts, error) => {
    const { call } = aSession();
    const fail = (next: ReadyCall) => {
      next.trail.attempts = attempts;
      throw error;
    };
    for (let i = 0; i < 5; i++) expect(await call({}, fail)).toBe(error.code);
    for (let i = 0; i < 3; i++) await call();
    await call({ tool: aTool({ name: "other" }) }, fail);
    expect(await call()).toBe("LOOP_DETECTED");
  });

  it("counts failures that the tool itself answers with", async () => {
    const { call } = aSession();
    const fail = () => {
      throw new ToolgateError("TOOL_ERROR", "no such file");
    };
    const ended = [];
    for (let i = 0; i < 4; i++) ended.push(await call({}, fail));
    expect(ended).toEqual(["TOOL_ERROR", "TOOL_ERROR", "TOOL_ERROR", "LOOP_DETECTED"]);
    const paging = aSession();
    for (let i = 0; i < 3; i++) await paging.call({ args: { i } }, fail);
    expect(await paging.call({ args: { i: 3 } })).toBe("warned");
  });

  it("warns of different arguments that give the same result, and refuses in the end", async () => {
    const { call } = aSession();
    const ended = [];
    for (let page = 0; page < 9; page++) ended.push(await call({ args: { page } }, () => outcome(null)));
    const warned = Array.from({ length: 5 }, () => "warned");
    expect(ended).toEqual(["ran", "ran", "ran", ...warned, "LOOP_DETECTED"]);
    for (let page = 9; page < 60; page++) expect(await call({ args: { page } })).toBe("LOOP_DETECTED");
  });

  it("compares the text of a result where there is one, and no result of a megabyte", async () => {
    const huge = "x".repeat(1024 * 1024 + 1);
    const results: [value: string, text: string][] = [
      ["same value", "other text"],
      [huge, huge],
    ];
    for (const [value, text] of results) {
      const { call } = aSession();
      for (let i = 0; i < 5; i++) {
        const data = { value, text: text === huge ? text : `${text} ${i}` };
        expect(await call({ args: { i } }, () => ({ kind: "success", data }))).toBe("ran");
      }
    }
  });

  it("leaves a tool alone whose owner says that it may repeat", async () => {
    const { call } = aSession();
    const poller = { ...reader, loopGuard: false };
    for (let i = 0; i < 12; i++) expect(await call({ tool: poller })).toBe("ran");
  });

  it("compares the results of delegated calls with nothing", async () => {
    const { call } = aSession();
    const delegated: Outcome = { kind: "delegated", data: { value: { a: 1 } } };
    const tool = aTool({ name: "memory", execution: "client", annotations: { readOnly: true } });
    for (let i = 0; i < 9; i++) expect(await call({ tool, args: { i } }, () => delegated)).toBe("ran");
  });

  it("keeps sessions apart, and the same session of two callers", async () => {
    const { stage } = aGuard();
    const [one, two] = [aSession(stage, "one"), aSession(stage, "two")];
    for (const session of [one, two]) for (let i = 0; i < 3; i++) await session.call();
    expect(await one.call()).toBe("LOOP_DETECTED");
    const caller = { id: "bob", admin: false };
    expect(await one.call({ caller })).toBe("ran");
    expect(await aSession(stage, "bob\none").call()).toBe("ran");
  });

  it("asks nothing of a call without a session", async () => {
    const history: LoopHistory = {
      begin() {
        throw new Error("not to be asked");
      },
    };
    const { stage, unguarded } = aGuard(history);
    expect(await stage.run(aReadyCall({ tool: reader }), async () => outcome())).toEqual(outcome());
    expect(unguarded).toEqual([]);
  });

  it("lets a call go on unguarded where the history cannot be asked, and says so", async () => {
    const away = new Error("away");
    const { stage, unguarded } = aGuard({ begin: () => Promise.reject(away) });
    const { call } = aSession(stage);
    for (let i = 0; i < 6; i++) expect(await call()).toBe("ran");
    expect(unguarded[0]).toEqual([away, "call-1"]);
  });

  it("writes down digests, and no argument", async () => {
    const history = aHistory();
    const { call } = aSession(aGuard(history).stage);
    await call({ args: { password: "swordfish" } }, () => outcome("secret"));
    expect(JSON.stringify([...history.sessions])).not.toMatch(/swordfish|secret/);
  });

  it("says what repeats, and what to do", async () => {
    const { stage } = aGuard();
    const trail = newTrail();
    for (let i = 0; i < 3; i++) {
      await stage.run(aReadyCall({ tool: reader, sessionId: "s", trail }), async () => outcome());
    }
    expect(trail.warnings).toEqual([
      'This is call number 3 in a row of "read" with the same arguments. If this goes on, it will be refused. ' +
        "Use what is known already, or try something else.",
    ]);
    const refused = stage.run(aReadyCall({ tool: reader, sessionId: "s" }), async () => outcome());
    await expect(refused).rejects.toThrow(/^This is call number 4 in a row of "read".+This call was not run/);
  });
});
