import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

/** The names in the first column of each table that is headed so. */
function documented(heading: string): string[][] {
  const tables = readme.matchAll(new RegExp(`^\\| ${heading} \\|.*\\n\\| --- .*\\n((?:\\|.*\\n)+)`, "gm"));
  return [...tables].map(([, rows = ""]) =>
    rows
      .split("\n")
      .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name ?? "")),
  );
}

/** The fields of an interface, from its source. */
function declared(file: string, name: string): string[] {
  const source = readFileSync(join(import.meta.dirname, file), "utf8");
  const [, body = ""] = new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(source) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, field]) => field ?? "");
}

describe("the README", () => {
  it("names every option and every field of the context", () => {
    const [tool, serving] = documented("option");
    expect(tool?.sort()).toEqual(declared("tool/tool.ts", "ToolOptions").sort());
    expect(serving?.sort()).toEqual(declared("serve-options.ts", "ServeOptions").sort());
    expect(documented("field")[0]?.sort()).toEqual(declared("tool/tool.ts", "ToolContext").sort());
  });
});
