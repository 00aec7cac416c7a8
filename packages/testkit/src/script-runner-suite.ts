import {
  MAX_JSON_DEPTH,
  parseJson,
  type ScriptBounds,
  type ScriptFault,
  type ScriptLanguage,
  type ScriptRunner,
} from "@toolgate/core";
import { afterAll, describe, expect, it } from "vitest";

/** The same small programs in each language. */
export interface ScriptPrograms {
  readonly identity: string;
  /** Gives `{count, sum}` of a list of numbers. */
  readonly sum: string;
  /** Gives the input's `name` in capital letters. */
  readonly shout: string;
  /** Adds 1 to the input, an integer. */
  readonly increment: string;
  /** Reads a member of what has none, in line 3. */
  readonly throws: string;
  /** Throws an error of its own making, whose message is "busy", in line 2. */
  readonly throwsOwn: string;
  /** Fails in line 2 before it defines anything. */
  readonly throwsAtOnce: string;
  /** Cannot be read, because of line 3. */
  readonly syntaxError: string;
  readonly noTransform: string;
  /** Never ends, where the input is "hang"; else gives the input. */
  readonly hangs: string;
  /** Never ends, and takes whatever is thrown at it. */
  readonly hangsOn: string;
  /** Never ends, before it defines anything. */
  readonly hangsAtOnce: string;
  readonly fillsMemory: string;
  readonly callsItself: string;
  /** By what they return. */
  readonly notJson: Readonly<Record<"nothing" | "NaN" | "infinity" | "function" | "cycle", string>>;
  /** A text of so many characters. */
  readonly text: string;
  /** Counts its own runs in whatever outlives a function, and gives the number. */
  readonly remembers: string;
  /** Changes what every value of the language has, then gives the input. */
  readonly pollutes: string;
  /** Ways out: each gives "out" or something of the machine where it succeeds, "in" where it finds nothing. */
  readonly escapes: Readonly<Record<string, string>>;
}

export interface ScriptRunnerHarness {
  readonly language: ScriptLanguage;
  readonly programs: ScriptPrograms;
  readonly open: () => ScriptRunner & { close(): Promise<void> };
}

/** What every interpreter of scripts must do. */
export function scriptRunnerSuite({ language, programs, open }: ScriptRunnerHarness): void {
  describe(`${language}: the suite of every script runner`, () => {
    const runner = open();
    afterAll(() => runner.close());
    // The machine may be busy with other tests, and a cold start is none of the script's time.
    const run = (source: string, input: string, bounds: Partial<ScriptBounds> = {}) =>
      runner.run({ language, source }, input, {
        timeoutMs: 10_000,
        maxBytes: 8_000_000,
        signal: new AbortController().signal,
        ...bounds,
      });
    const value = async (source: string, input: unknown, bounds?: Partial<ScriptBounds>) => {
      const result = await run(source, JSON.stringify(input), bounds);
      expect(result).toMatchObject({ kind: "value" });
      return result.kind === "value" ? parseJson(result.text) : undefined;
    };
    const fault = async (source: string, input: unknown = null, bounds?: Partial<ScriptBounds>) => {
      const result = await run(source, JSON.stringify(input), bounds);
      expect(result).toMatchObject({ kind: "fault" });
      return result.kind === "fault" ? result.fault : undefined;
    };

    it.each([
      ["null", null],
      ["booleans", [true, false]],
      ["numbers", [0, -1, 1.5, 1e300, 5e-324, 9007199254740991]],
      ["texts", ["", 'a"b\\c/\n\t\u0001', "__proto__"]],
      ["text beyond ASCII", "ü ß 东京 🎈 \u2028 e\u0301 \ud83d\udc68\u200d\ud83d\udc69"],
      ["lists", [[], [[]], [1, [2, [3]]]]],
      ["objects", { a: {}, "": { " ": 1 }, constructor: 1, "b.c": [{ d: null }] }],
    ])("takes and gives %s as they are", async (_what, input) => {
      expect(await value(programs.identity, input)).toEqual(input);
    });

    it("takes and gives a member named __proto__ like any other", async () => {
      const text = '{"__proto__":{"a":1}}';
      expect(await run(programs.identity, text)).toEqual({ kind: "value", text: expect.stringMatching(/__proto__/) });
    });

    it("keeps every digit of integers, on the way in, inside, and on the way out", async () => {
      const text = "[12345678901234567890,-9007199254740993,0.1000000000000001]";
      const result = await run(programs.identity, text);
      expect(result.kind === "value" && parseJson(result.text)).toEqual([
        12345678901234567890n,
        -9007199254740993n,
        0.1000000000000001,
      ]);
      const more = await run(programs.increment, "12345678901234567890");
      expect(more).toEqual({ kind: "value", text: "12345678901234567891" });
      expect(await run(programs.increment, "41")).toEqual({ kind: "value", text: "42" });
    });

    it("does what the script says", async () => {
      expect(await value(programs.shout, { name: "ann", other: 1 })).toBe("ANN");
    });

    it("takes a long list, and a large text", async () => {
      const numbers = Array.from({ length: 100_000 }, (_, index) => index);
      expect(await value(programs.sum, numbers)).toEqual({ count: 100_000, sum: 4_999_950_000 });
      const text = "ü".repeat(1_000_000);
      expect(await value(programs.identity, text)).toBe(text);
    });

    it("takes JSON as deep as it may be", async () => {
      const text = "[".repeat(MAX_JSON_DEPTH) + "]".repeat(MAX_JSON_DEPTH);
      expect(await run(programs.identity, text)).toEqual({ kind: "value", text });
    });

    it("says in which line the script failed, and how", async () => {
      const typeError = expect.stringMatching(/^\w+Error: ./);
      expect(await fault(programs.throws, {})).toMatchObject({ kind: "threw", line: 3, message: typeError });
      const own = expect.stringContaining("busy");
      expect(await fault(programs.throwsOwn)).toMatchObject({ kind: "threw", line: 2, message: own });
      expect(await fault(programs.throwsAtOnce)).toMatchObject({ kind: "threw", line: 2 });
    });

    it.each(Object.keys(programs.notJson) as (keyof ScriptPrograms["notJson"])[])(
      "says that %s is not JSON",
      async (what) => {
        const found = await fault(programs.notJson[what]);
        expect(found).toMatchObject({ kind: "not-json", message: expect.stringMatching(/./) });
      },
    );

    it("bounds the result", async () => {
      expect(await value(programs.text, 98, { maxBytes: 100 })).toHaveLength(98);
      expect(await fault(programs.text, 99, { maxBytes: 100 })).toEqual({
        kind: "too-large",
        bytes: 101,
        maxBytes: 100,
      });
    });

    it.each(["hangs", "hangsOn", "hangsAtOnce"] as const)("ends a script that %s", async (program) => {
      const found = await fault(programs[program], "hang", { timeoutMs: 300 });
      expect(found).toEqual({ kind: "timed-out", timeoutMs: 300 });
      expect(await value(programs.identity, 1)).toBe(1);
    });

    it("bounds memory", async () => {
      const before = process.memoryUsage().rss;
      for (let n = 0; n < 5; n += 1) {
        expect(await fault(programs.fillsMemory, null, { timeoutMs: 30_000 })).toEqual({ kind: "out-of-memory" });
      }
      // An interpreter may have 64 MiB; what it has left must not add up.
      expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(400);
      expect(await value(programs.identity, 1)).toBe(1);
    });

    it("bounds the stack", async () => {
      expect(await fault(programs.callsItself)).toEqual({ kind: "stack-overflow" });
      expect(await value(programs.identity, 1)).toBe(1);
    });

    it("leaves nothing of a run for the next", async () => {
      for (let n = 0; n < 5; n += 1) expect(await value(programs.remembers, null)).toBe(1);
      await run(programs.pollutes, "1");
      expect(await value(programs.identity, { a: [1, "x"] })).toEqual({ a: [1, "x"] });
      expect(await value(programs.shout, { name: "x" })).toBe("X");
    });

    it.each(Object.entries(programs.escapes))("has no way out: %s", async (_what, source) => {
      const result = await run(source, "null");
      if (result.kind === "value") expect(result.text).toBe('"in"');
      else expect(result.fault.kind).toMatch(/^(threw|syntax|not-json|no-transform)$/);
    });

    it("checks a script before anybody calls it", async () => {
      const check = (source: string) => runner.check({ language, source });
      for (const good of [programs.identity, programs.hangs, programs.throws])
        expect(await check(good)).toBeUndefined();
      const syntax: Partial<ScriptFault> = { kind: "syntax", line: 3 };
      expect(await check(programs.syntaxError)).toMatchObject({ ...syntax, message: expect.stringMatching(/./) });
      expect(await check(programs.noTransform)).toEqual({ kind: "no-transform" });
      expect(await check(programs.throwsAtOnce)).toMatchObject({ kind: "threw", line: 2 });
      expect(await check(programs.hangsAtOnce)).toEqual({ kind: "timed-out", timeoutMs: 1_000 });
    });

    it("answers a caller who goes away at once, and lets others go on", async () => {
      const caller = new AbortController();
      const hanging = run(programs.hangs, '"hang"', { signal: caller.signal, timeoutMs: 2_000 });
      const other = value(programs.identity, 1);
      caller.abort();
      expect(await hanging).toEqual({ kind: "fault", fault: { kind: "cancelled" } });
      expect(await other).toBe(1);
      expect(await fault(programs.identity, 1, { signal: AbortSignal.abort() })).toEqual({ kind: "cancelled" });
    });

    it("lets a script that hangs hold up nobody but itself", async () => {
      const ended: string[] = [];
      const hanging = [1, 2, 3, 4, 5].map(async () => {
        expect(await fault(programs.hangs, "hang", { timeoutMs: 1_500 })).toMatchObject({ kind: "timed-out" });
        ended.push("hung");
      });
      await Promise.all([1, 2, 3].map((n) => value(programs.identity, n)));
      ended.push("others");
      await Promise.all(hanging);
      expect(ended[0]).toBe("others");
    });

    it("makes nothing of many runs at once", async () => {
      const inputs = Array.from({ length: 200 }, (_, index) => index);
      // Half of the queue is the most that one script may have, so that there are two of them.
      const results = await Promise.all(
        inputs.map((n) => value(n % 2 === 0 ? programs.identity : programs.hangs, n).then((got) => got === n)),
      );
      expect(results.filter(Boolean)).toHaveLength(200);
    });

    it("answers what runs and waits when it is closed, and what is asked of it then", async () => {
      const own = open();
      const ask = (input: string) =>
        own.run({ language, source: programs.hangs }, input, {
          timeoutMs: 20_000,
          maxBytes: 10,
          signal: new AbortController().signal,
        });
      expect(await ask("1")).toMatchObject({ kind: "value" });
      const asked = Array.from({ length: 6 }, () => ask('"hang"'));
      await own.close();
      const broken = { kind: "fault", fault: { kind: "broken" } };
      for (const result of await Promise.all(asked)) expect(result).toMatchObject(broken);
      expect(await ask("1")).toMatchObject(broken);
    });
  });
}
