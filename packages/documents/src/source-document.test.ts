import { describe, expect, it } from "vitest";
import { formatProblem } from "./problem.ts";
import { MAX_DOCUMENT_LENGTH, openDocument } from "./source-document.ts";

function open(text: string, file = "f.yaml") {
  const opened = openDocument(text, file);
  if (!opened.ok) throw new Error(opened.problems.map(formatProblem).join("\n"));
  return opened.document;
}

function problemsOf(text: string, file = "f.yaml"): readonly string[] {
  const opened = openDocument(text, file);
  return opened.ok ? [] : opened.problems.map(formatProblem);
}

/** Each gives exactly one problem, at this place, with these words in it. */
const MALFORMED: readonly (readonly [what: string, text: string, place: string, words: RegExp])[] = [
  ["a tab for indentation", "name: x\nparams:\n\t- name: y\n", "3:1", /tab .* replace the tab/],
  ["too deep a line", "name: x\n  type: http\n", "1:7", /next line/],
  ["a line between two indentations", "params:\n  - name: a\n - name: b\n", "3:1", /indentation of this line/],
  ["a colon in a value", "description: foo: bar\n", "1:14", /must be in quotes/],
  ["no colon", "name x\ntype: http\n", "1:1", /Expected "key: value"/],
  ["an open double quote", 'name: "x\ntype: http\n', "1:7", /closing " is missing/],
  ["an open single quote", "name: 'x\ntype: http\n", "1:7", /closing ' is missing/],
  ["an open list", "a: [1, 2\nb: 3\n", "2:1", /not closed/],
  ["a reserved character", "a: @foo\n", "1:4", /starts with "@" must be in quotes/],
  ["an unknown escape", 'a: "\\q"\n', "1:5", /no escape \\q/],
  ["a key twice", "name: a\ntype: b\nname: c\n", "3:1", /"name" occurs twice/],
  ["a key twice, in other words", '1: a\n"1": b\n', "2:1", /"1" occurs twice/],
  ["two documents", "name: a\n---\nname: b\n", "2:1", /more than one document/],
  ["an unknown alias", "a: *b\n", "1:4", /no anchor "&b"/],
  ["an alias of itself", "a: &a [*a]\n", "1:8", /inside the very value/],
  ["__proto__ as a key", "name: a\n__proto__: {x: 1}\n", "2:1", /Unknown key "__proto__"/],
  ["a merge key", "a: &a {b: 1}\nc:\n  <<: *a\n", "3:3", /merge keys are not a part of YAML 1.2/],
  ["a map as a key", "? {a: 1}\n: b\n", "1:3", /key must be text/],
  ["a tag", "a: !foo bar\n", "1:4", /Tags .* not supported/],
  ["a YAML 1.1 tag", "a: !!binary aGk=\n", "1:4", /Tags .* not supported/],
  ["a directive", "%FOO bar\n---\na: b\n", "1:1", /Directives .* not supported/],
  ["YAML 1.1", "%YAML 1.1\n---\na: yes\n", "1:1", /Only YAML 1.2/],
  ["NUL", "name: a\nb: c\0d\n", "2:5", /U\+0000 is not allowed/],
  ["nothing", " \n\n", "1:1", /is empty/],
  ["only comments", "# name: a\n", "1:1", /nothing but comments/],
  ["infinity", "a: .inf\n", "1:4", /out of range/],
  ["a number too large", "a: 1e999\n", "1:4", /out of range/],
  ["a template inside a text", "a: {{b}} c\n", "1:10", /must be in quotes/],
  ["a template with an index", "a: {{b[0]}}\n", "1:7", /must be in quotes/],
  ["too deep for the parser", "[".repeat(100_000), "1:", /nested too deeply/],
  ["too deep for the reader", `a: ${"[".repeat(150)}${"]".repeat(150)}`, "1:103", /more than 100 deep/],
  ["a huge text", `a: ${"x".repeat(MAX_DOCUMENT_LENGTH)}`, "1:1", /at most 1048576 are read/],
];

describe("openDocument, malformed", () => {
  it.each(MALFORMED)("%s: one problem with its place", (_what, text, place, words) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(words);
    expect(problems[0]?.startsWith(`f.yaml:${place}`)).toBe(true);
  });

  it("bounds what aliases are written out to", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const lines = names.map((name, index) => {
      const inner = index === 0 ? "x" : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(inner).join(", ")}]`;
    });
    const problems = problemsOf(lines.join("\n"));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^f\.yaml:\d+:\d+: The document holds more than 100000 values/);
  });

  it("leaves no trace on prototypes (security-12, node-config/node-config#906)", () => {
    problemsOf("__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}\n");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("finds a doubled key among very many without comparing all with all", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`);
    expect(problemsOf([...keys, "k7: 2"].join("\n"))).toEqual([expect.stringMatching(/^f\.yaml:20001:1: .*"k7"/)]);
  });
});

describe("openDocument", () => {
  it("reads YAML 1.2: no, on and dates are text", () => {
    expect(open("a: no\nb: on\nc: 2020-01-01\nd: true\ne: ~\nf: 0x1F\n").value).toEqual({
      a: "no",
      b: "on",
      c: "2020-01-01",
      d: true,
      e: null,
      f: 31,
    });
  });

  it("keeps every digit of a big integer", () => {
    expect(open("a: 9007199254740993\nb: -12345678901234567890\nc: 9007199254740991\n").value).toEqual({
      a: 9007199254740993n,
      b: -12345678901234567890n,
      c: 9007199254740991,
    });
  });

  it("keeps keys as they are written", () => {
    expect(open("200: a\n1.50: b\ntrue: c\n").value).toEqual({ "200": "a", "1.50": "b", true: "c" });
  });

  it("takes an alias for the anchor before it, also where the name is used again", () => {
    expect(open("a: &x 1\nb: *x\nc: &x [2]\nd: *x\n").value).toEqual({ a: 1, b: 1, c: [2], d: [2] });
  });

  it("takes a template without quotes for text", () => {
    expect(open("a: {{input.topic}}\nb: [{{ c }}, d]\n").value).toEqual({ a: "{{input.topic}}", b: ["{{ c }}", "d"] });
  });

  it("reads JSON, also with tabs", () => {
    const json = '{\n\t"a": [1, 2,\n\t\t{"b": "\\u00e9\\ud83d\\ude00\\/"}],\n\t"c":\tnull\n}\n';
    expect(open(json, "f.json").value).toEqual(JSON.parse(json));
  });

  it("drops a byte order mark, reads CRLF", () => {
    expect(open("\uFEFFa: b\r\nc:\r\n  - d\r\n").value).toEqual({ a: "b", c: ["d"] });
  });

  it("reads an empty text as what the caller says", () => {
    expect(openDocument("# nothing\n", "f.yaml", { emptyAs: {} })).toMatchObject({ ok: true, document: { value: {} } });
  });

  it("finds places: of values, of keys, through aliases, and of the nearest thing there is", () => {
    const document = open("a:\n  - b: 1\n    c: &x {d: 2}\ne: *x\nf:\n");
    expect(document.positionOf(["a", 0, "b"])).toEqual({ line: 2, column: 8 });
    expect(document.positionOf(["a", 0, "b"], "key")).toEqual({ line: 2, column: 5 });
    expect(document.positionOf(["a", 0])).toEqual({ line: 2, column: 5 });
    expect(document.positionOf(["e", "d"])).toEqual({ line: 3, column: 15 });
    expect(document.positionOf(["f"])).toEqual({ line: 5, column: 1 });
    expect(document.positionOf(["a", 0, "zz"])).toEqual({ line: 2, column: 5 });
    expect(document.positionOf(["a", 7])).toEqual({ line: 2, column: 3 });
    expect(document.positionOf([])).toEqual({ line: 1, column: 1 });
  });
});
