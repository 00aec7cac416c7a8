import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const CITATION = /\bverifies\(\s*"([^"]+)"/g;

it("every requirement is cited by a test, and every citation names a requirement", () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  const cited = new Set(
    files.flatMap((file) => [...readFileSync(join(folder, file), "utf8").matchAll(CITATION)].map((match) => match[1])),
  );
  expect([...cited].sort()).toEqual(Object.keys(REQUIREMENTS).sort());
});
