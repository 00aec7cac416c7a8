import type {
  Outcome,
  PathLanguage,
  Reply,
  SchemaCompiler,
  ScriptBounds,
  ScriptFault,
  ScriptResult,
  ScriptRunner,
  Tool,
  ToolgateError,
  Violation,
} from "@toolgate/core";
import { aSchema, aTool } from "@toolgate/testkit/builders";
import { aReadyCall, type ReadyParts } from "@toolgate/testkit/calls";
import { textReply, valueReply } from "@toolgate/testkit/scripted-backend";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import { normalize } from "./normalize.ts";

/** "$.key" picks a key, "$..key" makes a list; enough of JSONPath for a stage that only asks. */
const paths: PathLanguage = {
  inspect: () => undefined,
  select(path, value) {
    const key = path.slice(path.lastIndexOf(".") + 1);
    const found = typeof value === "object" && value !== null && !Array.isArray(value) ? value[key] : undefined;
    if (path.startsWith("$..")) return found === undefined ? [] : [found];
    return found;
  },
};

function checking(...violations: Violation[]): SchemaCompiler {
  return { inspect: () => [], validate: () => violations, fillDefaults: (_schema, args) => args };
}

/** Answers what the test says, and remembers what it was asked. */
function scripted(answer: ScriptResult = { kind: "fault", fault: { kind: "no-transform" } }) {
  const asked: { input: string; bounds: ScriptBounds }[] = [];
  const scripts: ScriptRunner = {
    check: async () => undefined,
    run: async (_script, input, bounds) => {
      asked.push({ input, bounds });
      return answer;
    },
  };
  return { asked, scripts };
}

stageSuite("normalize", {
  stage: normalize({ paths, schemas: checking(), scripts: scripted().scripts }),
  call: (signal) => aReadyCall({ signal }),
  answer: valueReply(1),
  changes: { results: "it makes data of the backend's reply" },
});

interface Run extends ReadyParts {
  readonly response?: Partial<Tool["response"]>;
  readonly violations?: readonly Violation[];
  readonly scripts?: ScriptRunner;
}

async function outcome(reply: Reply, { response, violations = [], scripts = scripted().scripts, ...parts }: Run = {}) {
  const base = parts.tool ?? aTool();
  const call = aReadyCall({ ...parts, tool: { ...base, response: { ...base.response, ...response } } });
  const result: Outcome = await normalize({ paths, schemas: checking(...violations), scripts }).run(
    call,
    async () => reply,
  );
  expect(result.kind).toBe("success");
  return { ...result.data, warnings: call.trail.warnings };
}

const failure = (reply: Reply, run: Run = {}): Promise<ToolgateError> =>
  outcome(reply, run).then(
    () => expect.fail("The result was taken."),
    (error: ToolgateError) => error,
  );

describe("normalize: lines of JSON", () => {
  const lines = '{"a":1}\r\n\n[1917043659912705296]\n"x"\n';
  const list = [{ a: 1 }, [1917043659912705296n], "x"];

  it("become a list where the tool or the media type says so", async () => {
    expect((await outcome(textReply(lines, "text/plain"), { response: { format: "ndjson" } })).value).toEqual(list);
    for (const type of ["application/x-ndjson", "application/ndjson; charset=utf-8", "application/jsonl", "text/jsonl"])
      expect((await outcome(textReply(lines, type))).value).toEqual(list);
  });

  it("are text where nothing says so, and an empty list where there are none", async () => {
    expect((await outcome(textReply(lines, "text/plain"))).value).toBe(lines);
    expect((await outcome(textReply("", ""), { response: { format: "ndjson" } })).value).toEqual([]);
  });

  it("are refused with the number of the first bad one", async () => {
    const error = await failure(textReply('{"a":1}\n\n{"a":', "application/x-ndjson"));
    expect(error.code).toBe("RESULT_INVALID");
    expect(error.message).toBe(
      'Line 3 of the answer of "echo" is not JSON. The text is cut off: it ends before the JSON does.',
    );
  });
});

describe("normalize: format", () => {
  it("keeps JSON digit for digit, with its text", async () => {
    const text = '{"Id": 1917043659912705296}';
    expect(await outcome(textReply(text))).toEqual({ value: { Id: 1917043659912705296n }, text, warnings: [] });
  });

  it("hands a value from inside the process on as it is", async () => {
    const value = { a: [1] };
    expect((await outcome(valueReply(value))).value).toBe(value);
  });

  it("http-02 (IBM/mcp-context-forge#1599): takes text for text where nothing promises JSON", async () => {
    expect(await outcome(textReply("ok", "text/plain"))).toEqual({ value: "ok", warnings: [] });
    expect(await outcome(textReply("ok", ""))).toEqual({ value: "ok", warnings: [] });
  });

  it("reads JSON that comes under another name, unless the tool says text", async () => {
    expect((await outcome(textReply('{"a":1}', "text/plain"))).value).toEqual({ a: 1 });
    expect((await outcome(textReply('{"a":1}'), { response: { format: "text" } })).value).toBe('{"a":1}');
  });

  it.each([
    ["an empty answer", ""],
    ["only white space", " \n"],
  ])("makes null of %s", async (_what, text) => {
    expect(await outcome(textReply(text))).toEqual({ value: null, text: "null", warnings: [] });
  });

  it.each([
    ["the media type", "application/json; charset=utf-8", {}],
    ["a media type that ends in +json", "application/problem+json", {}],
    ["the tool's format", "text/html", { format: "json" }],
    ["the tool's mapping", "text/html", { mapping: { a: "$.a" } }],
  ] as const)("says what came instead of the JSON that %s promises", async (_what, mediaType, response) => {
    const error = await failure(textReply("<html>\n  <b>busy</b>", mediaType), { response });
    expect(error).toMatchObject({ code: "RESULT_INVALID", retryable: false });
    expect(error.message).toBe(`The answer of "echo" is not JSON: ${mediaType}, beginning with "<html> <b>busy</b>".`);
  });

  it("says of an empty answer that it is empty, where JSON was promised", async () => {
    const error = await failure(textReply("", ""), { response: { format: "json" } });
    expect(error.message).toContain("it is empty (no media type)");
  });
});

describe("normalize: transform", () => {
  const transform = { language: "javascript", source: "…", timeoutMs: 700 } as const;
  const made = (text: string): ScriptResult => ({ kind: "value", text });

  it("hands the answer's own text to the script, with the tool's bounds, and maps what comes back", async () => {
    const { asked, scripts } = scripted(made('{"name":"n","id":9007199254740993}'));
    const text = '{"n": 1.50}';
    const run = { scripts, response: { transform, mapping: { name: "$.name", id: "$.id" }, maxBytes: 99 } };
    expect(await outcome(textReply(text), run)).toEqual({ value: { name: "n", id: 9007199254740993n }, warnings: [] });
    expect(asked).toMatchObject([{ input: text, bounds: { timeoutMs: 700, maxBytes: 99 } }]);
  });

  it("hands a value of this process over as JSON, and gives the script's result with its text", async () => {
    const { asked, scripts } = scripted(made("[1]"));
    const { value, text } = await outcome(valueReply({ a: 12345678901234567890n }), {
      scripts,
      response: { transform },
    });
    expect({ value, text }).toEqual({ value: [1], text: "[1]" });
    expect(asked[0]?.input).toBe('{"a":12345678901234567890}');
  });

  it("gives text to the script where nothing but the mapping wants JSON", async () => {
    const { asked, scripts } = scripted(made('{"a":1}'));
    const run = { scripts, response: { transform, mapping: { a: "$.a" } } };
    expect((await outcome(textReply("<a>1</a>", "text/xml"), run)).value).toEqual({ a: 1 });
    expect(asked[0]?.input).toBe('"<a>1</a>"');
  });

  it("leaves the script out for a raw call", async () => {
    const { asked, scripts } = scripted();
    expect((await outcome(textReply('{"a":1}'), { scripts, response: { transform }, raw: true })).value).toEqual({
      a: 1,
    });
    expect(asked).toEqual([]);
  });

  it.each<[ScriptFault, code: string, text: string]>([
    [{ kind: "threw", message: "TypeError: no", line: 3 }, "RESULT_INVALID", "failed in line 3: TypeError: no."],
    [{ kind: "timed-out", timeoutMs: 700 }, "RESULT_INVALID", "did not end within 700 ms."],
    [{ kind: "too-large", bytes: 9, maxBytes: 8 }, "RESULT_TOO_LARGE", "returned 9 bytes; at most 8 are allowed."],
    [{ kind: "cancelled" }, "CANCELLED", "was not waited for: the caller went away."],
    [{ kind: "broken", cause: "secret" }, "RESULT_INVALID", "could not be run: the gateway's log says why."],
  ])("says what went wrong in the script: %o", async (fault, code, text) => {
    const { scripts } = scripted({ kind: "fault", fault });
    const error = await failure(valueReply(1), { scripts, response: { transform } });
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.message).toBe(`The transform script of "echo" ${text}`);
  });

  it("lets only calls that may be made twice be tried again where there was no room for the script", async () => {
    const { scripts } = scripted({ kind: "fault", fault: { kind: "busy" } });
    const run = { scripts, response: { transform } };
    expect((await failure(valueReply(1), run)).retryable).toBe(true);
    expect((await failure(valueReply(1), { ...run, tool: aTool({ annotations: {} }) })).retryable).toBe(false);
  });

  it("takes a result that no reader of JSON takes for none", async () => {
    const { scripts } = scripted(made("[".repeat(600) + "]".repeat(600)));
    const error = await failure(valueReply(1), { scripts, response: { transform } });
    expect(error.message).toContain("returned what is not JSON: The JSON is nested more than 512 levels deep");
  });
});

describe("normalize: mapping", () => {
  const mapping = { title: "$.name", tags: "$..tags" };

  it("makes the result of what the paths find, in the order of the mapping", async () => {
    const { value, text, warnings } = await outcome(textReply('{"tags":"x","name":"n","secret":1}'), {
      response: { mapping },
    });
    expect(JSON.stringify(value)).toBe('{"title":"n","tags":["x"]}');
    expect(text).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it("warns of each field that is not there, and gives null for it", async () => {
    const { value, warnings } = await outcome(textReply('{"tags":"x"}'), { response: { mapping } });
    expect(value).toEqual({ title: null, tags: ["x"] });
    expect(warnings).toEqual(['The field "title" is missing: nothing at $.name in the answer.']);
  });

  it("warns where the whole mapping finds nothing", async () => {
    const { warnings } = await outcome(textReply("{}"), { response: { mapping } });
    expect(warnings.at(-1)).toContain("Call with raw to see the tool's own answer.");
  });

  it("maps to a field named __proto__ like to any other", async () => {
    const entries = Object.fromEntries([["__proto__", "$.a"]]);
    const { value } = await outcome(textReply('{"a":{"polluted":1}}'), { response: { mapping: entries } });
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
  });

  it("leaves mapping and output schema out for a raw call", async () => {
    const text = '{"name":"n"}';
    const tool = aTool({ outputSchema: aSchema({ type: "array" }) });
    const violations = [{ path: "", expected: "array", got: "object" }];
    expect(await outcome(textReply(text), { tool, response: { mapping }, violations, raw: true })).toEqual({
      value: { name: "n" },
      text,
      warnings: [],
    });
  });

  it("shows a raw call the tool's own answer also where that is not JSON", async () => {
    const run = { response: { mapping }, raw: true };
    expect((await outcome(textReply("busy", "text/plain"), run)).value).toBe("busy");
    expect((await outcome(textReply("", "text/plain"), run)).value).toBe(null);
  });
});

describe("normalize: output schema and fields", () => {
  const tool = aTool({ outputSchema: aSchema({ type: "object" }) });

  it("refuses a result that does not fit the output schema, and says where", async () => {
    const violations = ["/a", "", "/c", "/d"].map((path) => ({ path, expected: "string", got: "null" }));
    const error = await failure(textReply("{}"), { tool, violations });
    expect(error).toMatchObject({ code: "RESULT_INVALID" });
    expect(error.message).toContain("/a: expected string, got null; the whole: expected string");
    expect(error.message).not.toContain("/d");
  });

  it("keeps only the wanted fields, after the check, and warns of those that are not there", async () => {
    const { value, text, warnings } = await outcome(textReply('{"a":{"b":1,"c":2},"d":3}'), {
      tool,
      fields: ["a.b", "x"],
    });
    expect(value).toEqual({ a: { b: 1 } });
    expect(text).toBeUndefined();
    expect(warnings).toEqual(['The field "x" is not in the result.']);
  });
});
