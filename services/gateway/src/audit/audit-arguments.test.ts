import { createHash } from "node:crypto";
import type { CallInput, JsonObject } from "@toolgate/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auditArguments } from "./audit-arguments.ts";

const text = (json: string): CallInput => ({ encoding: "text", text: json });
const value = (args: JsonObject): CallInput => ({ encoding: "value", value: args });
const digestOf = (input: CallInput) => auditArguments(input, "digest").argumentsSha256;
const sha256 = (of: string) => createHash("sha256").update(of).digest("hex");

describe("arguments in the audit log", () => {
  it("are the SHA-256 of their JSON with sorted keys, which anyone can make again", () => {
    expect(auditArguments(text('{"b": [1.0, "é"], "a": {"y": null, "x": true}}'), "digest")).toEqual({
      argumentsSha256: sha256('{"a":{"x":true,"y":null},"b":[1,"é"]}'),
    });
  });

  it("have equal digests where they are equal, in any encoding and order, and others where they are not", () => {
    const args = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(args, args, (a, b) => {
        const reversed = Object.fromEntries(Object.entries(a).reverse());
        expect(digestOf(text(JSON.stringify(reversed, null, 2)))).toBe(digestOf(value(a)));
        const same = sha256(JSON.stringify(sorted(a))) === sha256(JSON.stringify(sorted(b)));
        expect(digestOf(value(a)) === digestOf(text(JSON.stringify(b)))).toBe(same);
      }),
    );
  });

  it("keep every digit apart", () => {
    expect(digestOf(text('{"id":9007199254740993}'))).not.toBe(digestOf(text('{"id":9007199254740992}')));
    expect(digestOf(text('{"id":9007199254740992}'))).toBe(digestOf(value({ id: 2 ** 53 })));
    expect(digestOf(text('{"n":1.0}'))).toBe(digestOf(text('{"n":1e0}')));
  });

  it("are digested as they are where they are not JSON", () => {
    expect(auditArguments(text('{"a":'), "redacted")).toEqual({ argumentsSha256: sha256('{"a":') });
    expect(digestOf(text("[1, 2]"))).toBe(sha256("[1,2]"));
  });

  it("are there without their secrets where that is asked for, and not at all where nothing is", () => {
    const input = text('{"city":"Beijing","api_key":"k1"}');
    expect(auditArguments(input, "redacted")).toEqual({
      argumentsSha256: digestOf(input),
      arguments: { city: "Beijing", api_key: "[redacted]" },
    });
    expect(auditArguments(input, "none")).toEqual({});
  });
});

/** An independent way to an order of keys. */
function sorted(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(sorted);
  if (typeof part !== "object" || part === null) return part;
  return Object.entries(part)
    .map(([key, inner]) => [key, sorted(inner)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
