import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue, SchemaDocument } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { createSchemaCompiler } from "./index.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

const fixtures = join(import.meta.dirname, "fixtures");
const suite = join(fixtures, "json-schema-suite");
const DIALECTS = {
  draft7: "http://json-schema.org/draft-07/schema#",
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** "refused": the schema is not accepted. */
type Outcome = "right" | "wrong" | "refused";
type Dialect = keyof typeof DIALECTS;
/** Reasons, each with what it explains. */
type Explained = Readonly<Record<string, readonly string[]>>;

describe.each(["draft7", "draft7/optional", "draft2020-12", "draft2020-12/optional"])(
  "the JSON Schema test suite, %s",
  (part) => {
    const known = JSON.parse(readFileSync(join(fixtures, "suite-failures.json"), "utf8"))[part] as {
      readonly counts: Readonly<Record<Outcome, number>>;
      readonly wrong: Explained;
      readonly refused: Explained;
    };

    it("fails only where it is known to, and nowhere else", { timeout: 120_000 }, () => {
      const counts = { right: 0, wrong: 0, refused: 0 };
      const wrong: string[] = [];
      const refused = new Set<string>();
      for (const [name, group] of groups(part)) {
        for (const { description, data, valid } of group.tests) {
          const outcome = run(part.split("/")[0] as Dialect, group, { data, valid });
          counts[outcome] += 1;
          if (outcome === "wrong") wrong.push(`${name} / ${description}`);
          if (outcome === "refused") refused.add(name);
        }
      }
      expect({ counts, wrong: wrong.sort(), refused: [...refused].sort() }).toEqual({
        counts: known.counts,
        wrong: Object.values(known.wrong).flat().sort(),
        refused: Object.values(known.refused).flat().sort(),
      });
    });
  },
);

function* groups(part: string): Generator<[string, Group]> {
  const folder = join(suite, part);
  const files = readdirSync(folder).filter((entry) => entry.endsWith(".json"));
  for (const file of files.sort()) {
    for (const group of JSON.parse(readFileSync(join(folder, file), "utf8")) as Group[]) {
      yield [`${file} / ${group.description}`, group];
    }
  }
}

const compiler = createSchemaCompiler({ cached: 10 });

function run(dialect: Dialect, { schema }: Group, { data, valid }: { data: JsonValue; valid: boolean }): Outcome {
  const value =
    typeof schema === "boolean" || schema.$schema !== undefined ? schema : { $schema: DIALECTS[dialect], ...schema };
  const document: SchemaDocument = { text: JSON.stringify(value), value };
  if (compiler.inspect(document).length > 0) return "refused";
  return (compiler.validate(document, data).length === 0) === valid ? "right" : "wrong";
}
