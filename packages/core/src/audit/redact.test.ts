import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonObject, type JsonValue, stringifyJson } from "../json/json.ts";
import { MAX_REDACTED, REDACTED, redact } from "./redact.ts";

describe("redact", () => {
  it.each([
    ...["password", "Passwd", "user_pwd", "DB_PASSWORD", "passphrase", "client-secret", "token", "accessToken"],
    ...["api_key", "X-Api-Key", "apikey", "private.key", "credentials", "Authorization", "auth", "Set-Cookie", "pin"],
  ])("replaces what stands under %s, whatever it is", (key) => {
    for (const value of ["hunter2", 1234, { deep: "hunter2" }, ["hunter2"]]) {
      expect(redact({ a: [{ [key]: value }] })).toEqual({ a: [{ [key]: REDACTED }] });
    }
  });

  it.each([
    ...["max_tokens", "author", "keyword", "primary_key", "pinned", "passenger", "authority", "tokens", "city"],
  ])("leaves what stands under %s", (key) => {
    expect(redact({ [key]: "Beijing" })).toEqual({ [key]: "Beijing" });
  });

  it.each([
    "Bearer abcdef123",
    "basic dXNlcjpwYXNz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "-----BEGIN RSA PRIVATE KEY-----\nMII",
    "the key is sk-abcdefgh12345678",
    "ghp_abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "postgres://user:hunter2@db.example/x",
    "redis://:hunter2@db.example",
  ])("replaces the value %j under any key", (value) => {
    expect(redact({ note: [value] })).toEqual({ note: [REDACTED] });
  });

  it.each(["basic", "a bearer of news", "http://a.example:80/x@y", "mask-abcdefgh12345678", "risk-assessment"])(
    "leaves the value %j",
    (value) => {
      expect(redact({ note: value })).toEqual({ note: value });
    },
  );

  it("cuts what is long, and says so", () => {
    expect(redact({ text: "x".repeat(300) })).toEqual({ text: `${"x".repeat(256)}… (300 characters)` });
    expect(redact({ list: Array.from({ length: 60 }, (_, i) => i) }).list).toHaveLength(51);
    expect(redact(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i])))["[cut]"]).toBe(
      "10 more keys",
    );
    const texts = Array.from({ length: 40 }, () => "y".repeat(250));
    expect(redact({ texts })).toEqual({ "[too large]": expect.stringContaining("at most 4096 are kept") });
  });

  it("keeps every digit, and what is no text", () => {
    const args = { n: 2 ** 53, big: 2n ** 64n, flag: false, none: null };
    expect(redact(args)).toEqual({ ...args, big: "18446744073709551616" });
  });

  it("never gives more than its bound, nor what stood under a secret key, for any arguments", () => {
    const secret = "hunter2-the-secret";
    const value = fc.letrec<{ any: JsonValue }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 12 },
        fc.constantFrom<JsonValue>(null, true, 1.5, 2n ** 70n),
        fc.string({ maxLength: 400 }),
        fc.array(tie("any"), { maxLength: 60 }),
        fc.dictionary(fc.string({ maxLength: 20 }), tie("any")),
        tie("any").map((inner): JsonValue => ({ api_key: [secret, inner] })),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (args) => {
        const text = stringifyJson(redact(args as JsonObject));
        expect(text.length).toBeLessThanOrEqual(MAX_REDACTED);
        expect(text).not.toContain(secret);
      }),
    );
  });
});
