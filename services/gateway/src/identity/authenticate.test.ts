import { createHash } from "node:crypto";
import { ANONYMOUS } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { authenticator, sha256 } from "./authenticate.ts";
import { callerOf } from "./client-config.ts";

const clients = [
  { id: "ann", keyHashes: [sha256("key-1"), sha256("key-2")], scopes: ["a", "b"], admin: false },
  { id: "root", keyHashes: [sha256("key-3")], admin: true },
];
const authenticate = authenticator(clients);

describe("authenticator", () => {
  it("takes everyone for the same caller where there are no clients", () => {
    const open = authenticator([]);
    for (const header of [undefined, "", "Bearer anything", "Basic YTpi"]) expect(open(header)).toBe(ANONYMOUS);
  });

  it("knows a client by each of its keys", () => {
    for (const key of ["key-1", "key-2"]) {
      expect(authenticate(`Bearer ${key}`)).toEqual({ id: "ann", admin: false, scopes: new Set(["a", "b"]) });
    }
    expect(authenticate("Bearer key-3")).toEqual({ id: "root", admin: true });
  });

  it.each(["bearer key-1", "BEARER key-1", "Bearer   key-1", "  Bearer key-1  "])(
    "reads %j as RFC 6750 has it",
    (header) => {
      expect(authenticate(header)?.id).toBe("ann");
    },
  );

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "key-1",
    "Basic key-1",
    "Bearer key-4",
    "Bearer KEY-1",
    "Bearer key-1 key-2",
    "Bearer key-1,",
    "Bearerkey-1",
    "Bearer __proto__",
    `Bearer ${sha256("key-1")}`,
  ])("lets nobody in for %j", (header) => {
    expect(authenticate(header)).toBeUndefined();
  });

  it("takes no scopes for none, and a missing list for every scope", () => {
    const none = { id: "x", keyHashes: [], scopes: [], admin: false };
    expect(callerOf(none).scopes).toEqual(new Set());
    expect(callerOf({ id: "x", keyHashes: [], admin: false })).not.toHaveProperty("scopes");
  });

  it("digests keys as everybody does", () => {
    expect(sha256("key-1")).toBe(createHash("sha256").update("key-1").digest("hex"));
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });
});
