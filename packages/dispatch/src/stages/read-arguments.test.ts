import { MAX_JSON_DEPTH, type Outcome, parseJson, type ReadyCall, stringifyJson, ToolgateError } from "@toolgate/core";
import { aReadyCall } from "@toolgate/testkit/calls";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArguments } from "./read-arguments.ts";

const ANSWER: Outcome = { kind: "success", data: { value: 1 } };

stageSuite("read-arguments", { stage: readArguments(), call: (signal) => aReadyCall({ signal }), answer: ANSWER });

/** What the stage makes of this text: the call it hands on, or what it throws. */
async function read(text: string): Promise<ReadyCall | unknown> {
  let seen: ReadyCall | undefined;
  try {
    await readArguments().run(aReadyCall({ input: { encoding: "text", text } }), async (call) => {
      seen = call;
      return ANSWER;
    });
    return seen;
  } catch (error) {
    expect(seen).toBeUndefined();
    return error;
  }
}

async function refusal(text: string): Promise<ToolgateError> {
  const error = await read(text);
  expect(error).toBeInstanceOf(ToolgateError);
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: { violations: [{ path: "" }] } });
  return error as ToolgateError;
}

const CUT_OFF = "cut off: it ends before the JSON does";

describe("read-arguments", () => {
  it("hands on a value as it came", async () => {
    const value = { city: "Oslo" };
    await readArguments().run(aReadyCall({ input: { encoding: "value", value } }), async (call) => {
      expect(call.args).toBe(value);
      expect(call).not.toHaveProperty("argsText");
      return ANSWER;
    });
    expect.assertions(2);
  });

  it("reads text, keeping every digit and the text itself", async () => {
    const text = '{ "id": 1917043659912705296, "x": 1.0 }';
    expect(await read(text)).toMatchObject({ args: { id: 1917043659912705296n, x: 1 }, argsText: text });
  });

  it("security-12 (node-config/node-config#906): takes __proto__ for a name like any other", async () => {
    const call = (await read('{"__proto__":{"polluted":"yes"},"constructor":"c"}')) as ReadyCall;
    expect(Object.keys(call.args)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it("coercion-12 (brightwave-inc/tidebreak#1129): says of arguments that are cut off that they are", async () => {
    const { message, details } = await refusal('{"path":"a","content":"hel');
    expect(message).toContain(CUT_OFF);
    expect(details.violations?.[0]?.got).toBe('{"path":"a","content":"hel');
  });

  it.each([
    ['{"a":1]', "breaks at character 7"],
    ['{"a":"\\x"}', "breaks at character 8"],
    ['{"a":1}{"b":2}', "complete before character 8, but goes on"],
    ['{"a":1}\u00a0', "complete before character 8, but goes on"],
    ['{"a":tru }', `breaks at ' ', in "{"a":tru }"`],
    [`{"a":"${"x".repeat(100)}","b":none}`, "breaks at 'o', in "],
    ['{"a":1e999}', "The number 1e999 is out of range."],
    [`{"a":${"[".repeat(MAX_JSON_DEPTH)}${"]".repeat(MAX_JSON_DEPTH)}}`, `nested more than ${MAX_JSON_DEPTH} levels`],
    ['"{\\"a\\":1]"', "breaks at character 7"],
  ])("says where %j breaks, or what it exceeds", async (text, where) => {
    const { message } = await refusal(text);
    expect(message).toContain(where);
    expect(message).not.toContain("cut off");
  });

  it.each([
    ["[1]", "array"],
    ['"text"', "string"],
    ["null", "null"],
    ["12345678901234567890", "integer"],
  ])("refuses %s, which is JSON but no object", async (text, type) => {
    const { message, details } = await refusal(text);
    expect(message).toContain(`the text is a JSON ${type}`);
    expect(details.violations).toEqual([{ path: "", expected: "object", got: type }]);
  });

  it.each(["", "  \n", '""', '"\\n"'])("takes %j for no arguments (openai/openai-agents-js#664)", async (text) => {
    expect(await read(text)).toMatchObject({ args: {}, argsText: "{}" });
  });

  it("reads the JSON text of a JSON text twice, keeps the inner text, and says so", async () => {
    const inner = '{ "id": 1917043659912705296, "x": 1.0 }';
    const call = (await read(JSON.stringify(inner))) as ReadyCall;
    expect(call).toMatchObject({ args: { id: 1917043659912705296n, x: 1 }, argsText: inner });
    expect(call.trail.warnings).toEqual([expect.stringContaining("JSON text of a JSON text")]);
    expect(((await read(inner)) as ReadyCall).trail.warnings).toEqual([]);
    expect(((await read("")) as ReadyCall).trail.warnings).toEqual([]);
    expect((await refusal(JSON.stringify(JSON.stringify(inner)))).message).toContain("the text is a JSON string");
    expect((await refusal(JSON.stringify(inner.slice(0, 9)))).message).toContain(CUT_OFF);
  });

  it("quotes only the beginning of a long text, also of one number", async () => {
    const long = "x".repeat(100_000);
    for (const text of [`{"a": ${long}`, `{"a": 1.${"1".repeat(100_000)}e999}`]) {
      const { message, details } = await refusal(text);
      expect(message.length + (details.violations?.[0]?.got.length ?? 0)).toBeLessThan(500);
    }
  });

  it("throws a ToolgateError and nothing else, whatever the text", async () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      "\\",
      "\\u12",
      "1",
      "-",
      "1e9",
      "9".repeat(20),
      "null",
      " ",
      "é",
    ];
    const almost = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 });
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      almost.map((parts) => parts.join("")),
      almost.map((parts) => `{"a":${parts.join("")}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (sample) => {
        const result = await read(sample);
        if (result instanceof ToolgateError) expect(result.code).toBe("INVALID_ARGUMENT");
        else {
          const { args, argsText } = result as ReadyCall;
          expect(parseJson(argsText as string)).toEqual(args);
          if (argsText !== sample) expect(sample.trim() === "" || typeof parseJson(sample) === "string").toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("says of every part of an object's text that it is cut off", async () => {
    const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(object, fc.nat(), async (value, seed) => {
        const text = stringifyJson(value as never);
        const end = 1 + (seed % (text.length - 1));
        expect((await refusal(text.slice(0, end))).message).toContain(CUT_OFF);
      }),
      { numRuns: 500 },
    );
  });
});
