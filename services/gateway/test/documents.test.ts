import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AUDIT_KEYS, ERROR_CODES, type GatewayRetry } from "@toolgate/core";
import { limitsSchema, toolKeys } from "@toolgate/registrar/tool-files";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolKinds } from "../src/compose/backends.ts";
import { environmentSettings } from "../src/config/environment.ts";
import { gatewaySchema } from "../src/config/schema.ts";
import { METRICS } from "../src/telemetry/names.ts";
import { DOOR_ERRORS } from "../src/transport/door-error.ts";

const docs = join(import.meta.dirname, "../../../docs");

/** The rows of all tables whose first column looks like `first`, cells trimmed. */
function rows(file: string, first: RegExp): string[][] {
  return readFileSync(join(docs, file), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .slice(2, -2)
        .split(/ \| /)
        .map((cell) => cell.trim()),
    )
    .filter(([cell = ""]) => first.test(cell));
}

const RETRY: Record<GatewayRetry, string> = {
  never: "never",
  any_tool: "yes, any tool",
  idempotent_tools: "only idempotent tools",
  by_tool: "as the tool's `retryable_errors` say",
};

describe("docs/errors.md", () => {
  it("lists the errors of a call as the code has them", () => {
    const expected = Object.entries(ERROR_CODES).map(([code, facts]) => {
      return [
        code,
        facts.class,
        String(facts.http),
        RETRY[facts.retry],
        facts.callerMayRetry ? "yes" : "no",
        facts.meaning,
      ];
    });
    expect(rows("errors.md", /^[A-Z_]+$/).filter((row) => row.length === 6)).toEqual(expected);
  });

  it("lists the errors before a call as the code has them", () => {
    const expected = Object.entries(DOOR_ERRORS).map(([code, { grpc, http, meaning }]) => [
      code,
      String(grpc),
      String(http),
      meaning,
    ]);
    expect(rows("errors.md", /^[A-Z_]+$/).filter((row) => row.length === 4)).toEqual(expected);
  });
});

it("docs/metrics.md lists the metrics as the code has them", () => {
  const expected = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
    return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(", "), help];
  });
  expect(rows("metrics.md", /^`(toolgate|grpc)_/)).toEqual(expected);
});

describe("docs/configuration.md", () => {
  it("lists the keys of gateway.yaml with what the schema says of them", () => {
    // What can be limited is the same at each level, and explained once.
    expect(rows("configuration.md", /^`[a-z_.<>[\]]+`$/).filter((row) => row.length === 2)).toEqual([
      ...keysOf(gatewaySchema, "").filter(([key = ""]) => !/\.(limits|global|per_client|per_tool\.<name>)\./.test(key)),
      ...keysOf(limitsSchema, ""),
    ]);
  });

  it("names the environment variable of each setting", () => {
    const expected = environmentSettings().map(({ variable, path }) => [`\`${variable}\``, `\`${path.join(".")}\``]);
    expect(rows("configuration.md", /^`TOOLGATE_/)).toEqual(expected);
  });
});

it("docs/tool-files.md explains every key of a tool file, and none that there is not", () => {
  const documented = rows("tool-files.md", /^`/).flatMap(([keys = ""]) =>
    [...keys.matchAll(/`([a-z_]+)`/g)].map(([, key]) => key),
  );
  const known = [...Object.keys(toolKeys), ...toolKinds().flatMap(({ shape }) => Object.keys(shape))];
  expect([...new Set(documented)].sort()).toEqual([...new Set(known)].sort());
});

it("docs/audit.md explains every key of a record, and none that there is not", () => {
  const keys = ["v", "time", "kind", ...Object.keys(AUDIT_KEYS)];
  expect(rows("audit.md", /^`[a-z_0-9]+`$/).map(([key]) => key)).toEqual(keys.map((key) => `\`${key}\``));
});

/** Every described key below a schema: `a.b`, `list[].c`, `map.<name>.d`. */
function keysOf(schema: z.ZodType, path: string): string[][] {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  const own = path === "" || schema.description === undefined ? [] : [[`\`${path}\``, schema.description]];
  if (inner instanceof z.ZodArray) return [...own, ...keysOf(inner.element as z.ZodType, `${path}[]`)];
  if (inner instanceof z.ZodRecord) return [...own, ...keysOf(inner.valueType as z.ZodType, `${path}.<name>`)];
  if (!(inner instanceof z.ZodObject)) return own;
  const shape = Object.entries(inner.shape as Record<string, z.ZodType>);
  return [...own, ...shape.flatMap(([key, part]) => keysOf(part, path === "" ? key : `${path}.${key}`))];
}
