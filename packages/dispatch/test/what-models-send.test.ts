import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  parseJson,
  type ReadyCall,
  stringifyJson,
  ToolgateError,
} from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { argumentsFor, readFor, schemas } from "./reading.ts";

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");
const lines = <T>(name: string) =>
  fixture(name)
    .trim()
    .split("\n")
    .map((line) => parseJson(line) as T);

interface Derived {
  readonly id: string;
  readonly rule: string;
  readonly level: "must" | "should" | "may";
  readonly schema: JsonObject;
  /** A string is the text of the arguments. */
  readonly messy: JsonObject | string;
  readonly expected?: JsonObject;
}

describe("arguments as models write them", () => {
  const derived = lines<Derived>("coercion-derived.jsonl");

  it.each([...new Set(derived.map(({ rule }) => rule))])(
    "are right by the rule %s, as value and as text",
    async (rule) => {
      const cases = derived.filter((each) => each.rule === rule);
      for (const { id, schema, messy, expected } of cases) {
        const right = expected === undefined ? "refused" : withDefaults(schema, expected);
        const text = stringifyJson(messy);
        expect({ id, args: await argumentsFor(schema, { encoding: "text", text }) }).toEqual({ id, args: right });
        if (typeof messy === "string") continue;
        expect({ id, args: await argumentsFor(schema, { encoding: "value", value: messy }) }).toEqual({
          id,
          args: right,
        });
      }
    },
  );
});

function withDefaults(schema: JsonObject, args: JsonObject): JsonObject {
  return schemas.fillDefaults({ text: stringifyJson(schema), value: schema }, args);
}

interface Observed {
  readonly id: string;
  readonly source: string;
  readonly why: string;
  readonly schema: JsonObject;
  readonly arguments: JsonObject;
  readonly expected: JsonObject | string;
}

/** What Toolgate does where a case leaves a choice; the rules are in docs/arguments.md. */
const CHOSEN: Readonly<Record<string, JsonObject | "refused">> = {
  "obs-006": { v: 9007199254740993n },
  "obs-016": { v: 1000 },
  "obs-027": {},
  "obs-043": "refused",
  "obs-052": "refused",
  "obs-053": "refused",
  "obs-056": { v: 7 },
  "obs-057": "refused",
  "obs-063": "refused",
  "obs-066": { v: 5 },
  "obs-068": "refused",
  "obs-072": "refused",
  "obs-073": { v: ["a, b"] },
};

describe("arguments that people saw", () => {
  const { cases } = parseJson(fixture("coercion-observed.json")) as unknown as { cases: readonly Observed[] };

  it.each(cases)("$id ($source): $why", async ({ id, schema, arguments: args, expected }) => {
    expect(await argumentsFor(schema, { encoding: "value", value: args })).toEqual(rightFor(id, expected));
  });
});

function rightFor(id: string, expected: JsonObject | string): JsonObject | "refused" {
  if (expected === "refuse") return "refused";
  if (expected === "the parameter left out") return {};
  if (typeof expected === "string") throw new Error(`${id} expects ${expected}`);
  if (!("anyOf" in expected)) return expected;
  const chosen = CHOSEN[id];
  if (chosen === undefined) throw new Error(`${id} leaves a choice that nobody made`);
  return chosen;
}

interface Malformed {
  readonly id: string;
  readonly source: string;
  readonly why: string;
  readonly argumentsText: string;
}

const ANY_A_AND_B: JsonObject = { type: "object", properties: { a: {}, b: {} } };

/** The arguments that the tool gets; or what the refusal says. */
const OF_MALFORMED: Readonly<Record<string, JsonObject | RegExp>> = {
  "mal-01": {},
  "mal-02": {},
  "mal-03": {},
  "mal-06": /not valid JSON. It breaks at character 5/,
  "mal-07": /cut off/,
  "mal-08": /It breaks at character 9/,
  "mal-11": /It breaks at '`'/,
  "mal-12": /It breaks at character 2/,
  "mal-13": /It breaks at 'T'/,
  "mal-16": /1e400 is out of range/,
  "mal-17": { a: 9007199254740993n },
  "mal-18": /must be one JSON object, but the text is a JSON array/,
  "mal-21": { a: 2 },
  "mal-22": /not valid JSON/,
  "mal-23": /It breaks at character/,
  "mal-26": { a: "\ud800" },
  "mal-27": { a: "\0" },
  "mal-28": /nested more than 512 levels/,
};

describe("argument texts that are malformed", () => {
  const { cases } = JSON.parse(fixture("malformed-arguments.json")) as { cases: readonly Malformed[] };

  it.each(cases)("$id ($source): $why", async ({ id, argumentsText: text }) => {
    const right = OF_MALFORMED[id];
    const read = await readFor(ANY_A_AND_B, { encoding: "text", text });
    if (right instanceof RegExp) expect(read).toMatchObject({ message: expect.stringMatching(right) });
    else expect(read).toMatchObject({ args: right });
  });

  it("mal (NousResearch/hermes-agent#6841): two objects one after the other are refused where the second begins", async () => {
    const read = await readFor(ANY_A_AND_B, { encoding: "text", text: '{"a":1}{"a":1}' });
    expect(read).toMatchObject({ message: expect.stringContaining("complete before character 8, but goes on") });
  });
});

describe("calls that fit", () => {
  const calls = lines<{ id: string; tool: string; schema: JsonObject; args: JsonObject }>("bfcl-calls.jsonl");
  const airline = JSON.parse(fixture("tau-airline-gpt4o.json")) as {
    readonly tools: readonly { readonly name: string; readonly parameters: JsonObject }[];
    readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  };
  const parameters = new Map(airline.tools.map(({ name, parameters: schema }) => [name, schema]));

  it("pass unchanged, but for defaults: 700 of BFCL", async () => {
    expect(calls).toHaveLength(700);
    for (const { id, schema, args } of calls) {
      expect({ id, args: await passed(schema, stringifyJson(args)) }).toEqual({ id, args: withDefaults(schema, args) });
    }
  });

  it("pass unchanged: 150 of an airline's agent", async () => {
    expect(airline.calls).toHaveLength(150);
    for (const { name, arguments: text } of airline.calls) {
      const read = (await readFor(parameters.get(name) as JsonObject, { encoding: "text", text })) as ReadyCall;
      expect({ name, text: read.argsText }).toEqual({ name, text });
      expect(read.trail.warnings).toEqual([]);
    }
  });

  async function passed(schema: JsonObject, text: string): Promise<JsonValue> {
    const read = await readFor(schema, { encoding: "text", text });
    if (read instanceof ToolgateError) return read.message;
    expect(read.trail.warnings).toEqual([]);
    return read.args;
  }
});
