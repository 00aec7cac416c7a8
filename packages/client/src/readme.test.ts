import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compilerErrors } from "./compile.fixture.ts";

it("what the README shows compiles", { timeout: 60_000 }, () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const snippets = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "");
  expect(snippets.length).toBeGreaterThan(7);
  const files = Object.fromEntries(snippets.map((code, place) => [`snippet-${place}.ts`, code]));
  expect(compilerErrors(files)).toBe("");
});
