import { describe, expect, it } from "vitest";
import { z } from "zod";
import { duration } from "./fields/duration.ts";
import { legalName } from "./fields/names.ts";
import { formatProblem } from "./problem.ts";
import { readDocument } from "./read-document.ts";

const SCHEMA = z.strictObject({
  name: legalName(),
  endpoint: z.string(),
  timeout: duration().optional(),
  attempts: z.int().min(1).max(10).optional(),
  backoff: z.enum(["exponential", "fixed"]).optional(),
  headers: z.record(z.string().regex(/^[a-z-]+$/), z.string()).optional(),
  params: z.array(z.strictObject({ name: z.string(), required: z.boolean().optional() })).optional(),
  check: z.union([z.strictObject({ http: z.string() }), z.strictObject({ tcp: z.string() })]).optional(),
  code: z.union([z.string(), z.int()]).optional(),
  mode: z.union([z.enum(["on", "off"]), z.array(z.string().min(2))]).optional(),
  above: z.number().gt(0).optional(),
  step: z.number().multipleOf(5).optional(),
  site: z.url().optional(),
  note: z.string().min(1).max(5).optional(),
  few: z.array(z.string()).min(1).max(2).optional(),
  odd: z
    .string()
    .refine((text) => text === "odd")
    .optional(),
});
const BASE = "name: a\nendpoint: b\n";

function problemsOf(text: string): readonly string[] {
  const read = readDocument(text, "f.yaml", SCHEMA);
  return read.ok ? [] : read.problems.map(formatProblem);
}

describe("readDocument", () => {
  it("gives the value that the schema makes, and its places", () => {
    const read = readDocument(`${BASE}timeout: 5s\n`, "f.yaml", SCHEMA);
    expect(read).toMatchObject({ ok: true, value: { name: "a", endpoint: "b", timeout: 5000 } });
    expect(read.ok && read.positionOf(["timeout"])).toEqual({ line: 3, column: 10 });
  });

  it("places an unknown key, with the near one", () => {
    expect(problemsOf(`${BASE}timout: 5s\nzzz: 1\n`)).toEqual([
      'f.yaml:3:1: Unknown key "timout". Did you mean "timeout"?',
      'f.yaml:4:1: Unknown key "zzz".',
    ]);
  });

  it("places a missing key at the map that lacks it", () => {
    expect(problemsOf(`${BASE}params:\n  - required: true\n  - {}\n`)).toEqual([
      'f.yaml:4:5: The key "name" is missing: expected text.',
      'f.yaml:5:5: The key "name" is missing: expected text.',
    ]);
  });

  it("tells every problem at once, in the order of the document", () => {
    const text = "endpoint: 5\nname: a b\nparams:\n  - name: x\n    requird: 3\n";
    expect(problemsOf(text).map((line) => line.split(": ")[0])).toEqual(["f.yaml:1:11", "f.yaml:2:7", "f.yaml:5:5"]);
  });

  it.each([
    ["endpoint: ", /"endpoint" must be text, not nothing\./],
    ["endpoint: [a]", /"endpoint" must be text, not a list\./],
    ["endpoint: 5", /"endpoint" must be text, not a whole number\. Put it in quotes\./],
    ["endpoint: 0.5", /"endpoint" must be text, not a fraction\. Put it in quotes\./],
    ["endpoint: true", /"endpoint" must be text, not true\/false\. Put it in quotes\./],
  ])("%s: says what was expected and what it got", (line, words) => {
    expect(problemsOf(`name: a\n${line}\n`)).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    ["timeout: 5", /unit: write "5s" for seconds or "5ms"/],
    ["timeout: soon", /Expected a duration such as "5s".*not "soon"/],
    ["attempts: 11", /"attempts" must be at most 10\./],
    ["attempts: 0", /"attempts" must be at least 1\./],
    ["attempts: 1.5", /"attempts" must be a whole number, not a fraction\./],
    ["attempts: 12345678901234567890", /"attempts" must be a number within ±2\^53\./],
    ["above: 0", /"above" must be more than 0\./],
    ["step: 7", /"step" must be a multiple of 5\./],
    ["site: nowhere", /"site" must be a URL\./],
    ["note: ''", /"note" must not be empty\./],
    ["note: abcdef", /"note" must be at most 5 characters long\./],
    ["few: []", /"few" must not be empty\./],
    ["few: [a, b, c]", /"few" must have at most 2 entries\./],
    ["few: [a, 1]", /Item 2 of "few" must be text, not a whole number\./],
    ["odd: even", /"odd" is not valid\./],
    ["backoff: exponentail", /must be "exponential" or "fixed", not "exponentail"\. Did you mean "exponential"\?/],
    ["backoff: 3", /must be "exponential" or "fixed", not a whole number\./],
    ["headers: {X_Y: a}", /^f\.yaml:3:11: The key "X_Y" is not allowed here\.$/],
    ["headers: [a]", /"headers" must be a map, not a list\./],
    ["check: {tcp: 5}", /"tcp" must be text/],
    ["check: 5", /"check" must be a map\./],
    ["code: [a]", /"code" must be text or a number\./],
    ["mode: onn", /"mode" must be "on" or "off", not "onn"\. Did you mean "on"\?/],
    ["mode: [x]", /Item 1 of "mode" must be at least 2 characters long\./],
    ["code: ", /"code" must be text or a number\./],
  ])("%s: one clear sentence", (line, words) => {
    expect(problemsOf(`${BASE}${line}\n`)).toEqual([expect.stringMatching(words)]);
  });

  it("says that the document itself is of the wrong kind", () => {
    expect(problemsOf("- a\n")).toEqual(["f.yaml:1:1: The document must be a map, not a list."]);
  });
});
