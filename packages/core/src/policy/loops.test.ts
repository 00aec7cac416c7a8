import { describe, expect, it } from "vitest";
import { callsToKeep, DEFAULT_LOOP_RULES, findLoop, type LoopRules, type PastCall } from "./loops.ts";

/** "a" is a read-only call, "A" one that changes something; "." may repeat; "a=1" answered 1, "a" alone is still running. */
function session(...calls: string[]): readonly PastCall[] {
  return calls.map((text) => {
    const [name = "", result] = text.split("=");
    const [tool = ""] = name;
    return { tool, signature: tool === "." ? "" : name, readOnly: tool === tool.toLowerCase(), result };
  });
}

function rounds(times: number, ...calls: string[]): string[] {
  return Array.from({ length: times }, () => calls).flat();
}

function find(...calls: string[]) {
  const loop = findLoop(session(...calls), DEFAULT_LOOP_RULES);
  return loop && `${loop.action} ${loop.pattern} ${loop.times}`;
}

describe("the same call in a row", () => {
  it.each([
    [["a"], undefined],
    [["a", "a"], undefined],
    [["a", "a", "a"], "warn repeat 3"],
    [["a", "a", "a", "a"], "refuse repeat 4"],
    [["a", "a", "a", "b", "a"], undefined],
    [["a", "a", "a", "W", "a"], undefined],
    [["a1", "a2", "a3", "a4", "a5"], undefined],
    [["a1", "a1", "a2", "a1", "a1"], undefined],
    [["A", "A", "A", "A", "A", "A", "A", "A", "A", "A"], undefined],
    [["A=x", "A=x", "A=x", "A=x", "A=x", "A=x", "A=x", "A=x"], undefined],
    [[".", ".", ".", ".", ".", "."], undefined],
    [["a", "a", ".", "a", "a"], undefined],
  ])("%j is %s", (calls, loop) => {
    expect(find(...calls)).toBe(loop);
  });

  it("is looked at whatever it answered", () => {
    expect(find("a=1", "a=2", "a=3", "a")).toBe("refuse repeat 4");
  });
});

describe("cycles", () => {
  it.each([2, 3, 4, 5])("of %i calls are warned of in their third round and refused in their fourth", (length) => {
    const round = ["a", "b", "c", "d", "e"].slice(0, length);
    expect(find(...rounds(2, ...round))).toBeUndefined();
    expect(find(...rounds(2, ...round), "a")).toBe("warn cycle 3");
    expect(find(...rounds(3, ...round))).toBe("warn cycle 3");
    expect(find(...rounds(3, ...round), "a")).toBe("refuse cycle 4");
    expect(find(...rounds(9, ...round))).toMatch(/^refuse cycle/);
  });

  it("begin wherever they like, whatever came before", () => {
    expect(find("x", "y", "b", ...rounds(3, "a", "b"))).toBe("refuse cycle 4");
  });

  it("of six calls, or broken by another call, are none", () => {
    expect(find(...rounds(6, "a", "b", "c", "d", "e", "f"))).toBeUndefined();
    expect(find(...rounds(2, "a", "b"), "c", ...rounds(2, "a", "b"))).toBeUndefined();
    expect(find(...rounds(6, "a", "."))).toBeUndefined();
  });

  it("may be of one tool with different arguments", () => {
    expect(find(...rounds(4, "a1", "a2"))).toBe("refuse cycle 4");
  });

  it("with a call that changes something need the same results, too", () => {
    expect(find(...rounds(6, "W=done", "a=1"))).toMatch(/^refuse cycle/);
    const pages = Array.from({ length: 12 }, (_, page) => ["N=ok", `p=page ${page}`]).flat();
    expect(find(...pages)).toMatch(/^refuse cycle/);
    const changing = Array.from({ length: 12 }, (_, page) => [`N=now on ${page}`, `p=page ${page}`]).flat();
    expect(find(...changing)).toBeUndefined();
    expect(find(...rounds(6, "W", "a=1"))).toBeUndefined();
  });

  it("at once with a longer one are told by the one that is further", () => {
    expect(find(...rounds(4, "a", "b"))).toBe("refuse cycle 4");
  });
});

describe("the same result", () => {
  it("of one read-only tool is warned of after three and refused after eight, whatever the arguments", () => {
    const calls = Array.from({ length: 9 }, (_, i) => `a${i}=nothing`);
    expect(find(...calls.slice(0, 3))).toBeUndefined();
    expect(find(...calls.slice(0, 4))).toBe("warn same_result 3");
    expect(find(...calls.slice(0, 8))).toBe("warn same_result 7");
    expect(find(...calls)).toBe("refuse same_result 8");
  });

  it.each([
    ["another result between", ["a1=x", "a2=y", "a3=x", "a4=x", "a5"]],
    ["another tool between", ["a1=x", "a2=x", "b=x", "a3=x", "a4"]],
    ["calls that still run", ["a1", "a2", "a3", "a4", "a5"]],
    ["a tool that changes something", ["A1=x", "A2=x", "A3=x", "A4=x", "A5"]],
    ["a call of another tool", ["a1=x", "a2=x", "a3=x", "b1"]],
  ])("with %s is none", (_what, calls) => {
    expect(find(...calls)).toBeUndefined();
  });
});

describe("what a loop would answer next", () => {
  it.each([
    ["repeat", ["a=x", "a=y", "a=z", "a"], "z"],
    ["cycle", [...rounds(3, "a=x", "b=y", "c=z"), "a"], "x"],
    ["same_result", ["a1=x", "a2=x", "a3=x", "a4"], "x"],
    ["repeat", ["a", "a", "a"], undefined],
  ])("of a %s is what it answered before", (pattern, calls, result) => {
    expect(findLoop(session(...calls), DEFAULT_LOOP_RULES)).toMatchObject({ pattern, result });
  });
});

describe("rules", () => {
  const strict: LoopRules = {
    repeat: { enabled: true, warnAt: 2, refuseAt: 2 },
    cycle: { enabled: false, warnAt: 2, refuseAt: 2 },
    sameResult: { enabled: true, warnAt: 2, refuseAt: 3 },
  };

  it("say when, and which patterns", () => {
    expect(findLoop(session("a", "a"), strict)).toMatchObject({ pattern: "repeat", action: "refuse", times: 2 });
    expect(findLoop(session(...rounds(5, "a", "b")), strict)).toBeUndefined();
    expect(findLoop(session("a1=x", "a2=x", "a3"), strict)).toMatchObject({ pattern: "same_result", action: "warn" });
  });

  it("prefer a reason to refuse to a reason to warn", () => {
    const lenient = { ...strict, repeat: { enabled: true, warnAt: 2, refuseAt: 20 } };
    expect(findLoop(session("a=x", "a=x", "a=x", "a"), lenient)).toMatchObject({ pattern: "same_result" });
  });

  it("say how many calls they need", () => {
    expect(callsToKeep(DEFAULT_LOOP_RULES)).toBe(20);
    expect(callsToKeep({ ...strict, sameResult: { enabled: true, warnAt: 2, refuseAt: 20 } })).toBe(21);
  });

  it("find nothing in an empty session", () => {
    expect(findLoop([], DEFAULT_LOOP_RULES)).toBeUndefined();
  });
});
