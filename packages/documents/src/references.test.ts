/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secretText } from "./fields/names.ts";
import { formatProblem } from "./problem.ts";
import { readDocument } from "./read-document.ts";
import { MAX_SECRET_LENGTH, type ReferenceSources, resolveReferences } from "./references.ts";

const SCHEMA = z.strictObject({
  description: z.string().optional(),
  headers: z.record(z.string(), secretText()).optional(),
  auth: z.union([z.strictObject({ token: secretText().optional() }), z.strictObject({ user: z.string() })]).optional(),
  list: z.array(secretText().transform((text) => text.length)).optional(),
  short: secretText().max(3).optional(),
  env: z.record(z.string(), z.array(z.string())).meta({ secret: true }).optional(),
});
const FILES: Readonly<Record<string, string>> = {
  "/run/key": "k3y\n",
  empty: "\n",
  huge: "x".repeat(MAX_SECRET_LENGTH + 1),
};
const SOURCES: ReferenceSources = {
  env: { TOKEN: "s3cret", EMPTY: "" },
  readFile: (path) => {
    const text = FILES[path];
    if (text === undefined) throw Object.assign(new Error(`ENOENT: /secret/place/${path}`), { code: "ENOENT" });
    return text;
  },
};

const resolve = (value: unknown) => resolveReferences(value, SCHEMA, SOURCES);
const messageFor = (text: string) => resolve({ headers: { a: text } }).problems.map(({ message }) => message);

describe("resolveReferences", () => {
  it("replaces variables, whole or inside a text, and files", () => {
    const headers = { a: "${TOKEN}", b: "Bearer ${TOKEN}, ${TOKEN}", c: "file:/run/key", d: "plain $x" };
    expect(resolve({ headers })).toEqual({
      value: { headers: { a: "s3cret", b: "Bearer s3cret, s3cret", c: "k3y", d: "plain $x" } },
      problems: [],
    });
  });

  it("takes $${ for a literal ${", () => {
    expect(resolve({ headers: { a: "$${TOKEN} ${TOKEN}" } }).value).toEqual({ headers: { a: "${TOKEN} s3cret" } });
  });

  it("leaves what is not marked, and gives back what has no reference as it is", () => {
    const value = { description: "${TOKEN}", headers: { a: "b" } };
    expect(resolve(value).value).toBe(value);
  });

  it("sees marks through unions, wrappers and transforms", () => {
    expect(resolve({ auth: { token: "${TOKEN}" }, list: ["${TOKEN}", "a"] }).value).toEqual({
      auth: { token: "s3cret" },
      list: ["s3cret", "a"],
    });
  });

  it("sees a mark on what holds the text", () => {
    expect(resolve({ env: { a: ["${TOKEN}"] } }).value).toEqual({ env: { a: ["s3cret"] } });
  });

  it("does not expand what came out of a reference", () => {
    const env = { A: "${B}", B: "no" };
    expect(resolveReferences({ headers: { a: "${A}" } }, SCHEMA, { ...SOURCES, env }).value).toEqual({
      headers: { a: "${B}" },
    });
  });

  it.each([
    ["${NO}", /variable NO is not set/],
    ["${EMPTY}", /variable EMPTY is empty/],
    ["${toString}", /variable toString is not set/],
    ["${}", /of the form/],
    ["${TOKEN", /of the form/],
    ["file:none", /"file:none" does not exist/],
    ["file:empty", /"file:empty" is empty/],
    ["file:huge", /more than 64 Ki/],
  ])("%s: a problem that names it", (text, words) => {
    expect(messageFor(text)).toEqual([expect.stringMatching(words)]);
  });

  it("shows neither values nor what stands in place of a name, nor a path that is not in the document", () => {
    for (const text of ["${sk-123}", "${TOKEN} ${NO}", "file:none"]) {
      expect(messageFor(text).join()).not.toMatch(/sk-123|s3cret|place/);
    }
  });
});

describe("readDocument with references", () => {
  it("places a missing variable, and never shows a resolved value", () => {
    const text = "headers:\n  a: ${NO}\nshort: ${TOKEN}\n";
    const read = readDocument(text, "f.yaml", SCHEMA, { references: SOURCES });
    expect(read.ok ? [] : read.problems.map(formatProblem)).toEqual([
      "f.yaml:2:6: The environment variable NO is not set.",
      'f.yaml:3:8: "short" must be at most 3 characters long.',
    ]);
  });

  it("keeps references as they are where no sources are given", () => {
    const read = readDocument("headers: {a: '${NO}'}\n", "f.yaml", SCHEMA);
    expect(read).toMatchObject({ ok: true, value: { headers: { a: "${NO}" } } });
  });
});
