import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, parseJson } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { argumentsFor } from "./reading.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/arguments.md"), "utf8");
const rows = [...text.matchAll(/^\| `(.+?)` \| `(.+?)` \| (.+?) \|$/gm)].map(([, schema, sent, gets]) => ({
  schema: schema as string,
  sent: sent as string,
  gets: gets as string,
}));

describe("docs/arguments.md", () => {
  it("has the table", () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)("is true of $schema for $sent: $gets", async ({ schema, sent, gets }) => {
    const wanted = { type: "object", properties: { v: parseJson(schema) } };
    const right = gets === "refused" ? gets : gets.startsWith("`") ? { v: parseJson(gets.slice(1, -1)) } : {};
    expect(await argumentsFor(wanted as JsonObject, { encoding: "text", text: `{"v":${sent}}` })).toEqual(right);
  });
});
