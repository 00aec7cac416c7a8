import { describe, expect, it } from "vitest";
import { allowedHost, readAllowedHost } from "./allowed-host.ts";

describe("an allowed host", () => {
  it.each([
    ["API.example", { kind: "name", name: "api.example" }],
    ["localhost", { kind: "name", name: "localhost" }],
    ["my_service", { kind: "name", name: "my_service" }],
    ["10.1.2.3", { kind: "range", address: "10.1.2.3", prefix: 32 }],
    ["10.1.0.0/16", { kind: "range", address: "10.1.0.0", prefix: 16 }],
    ["::1", { kind: "range", address: "::1", prefix: 128 }],
    ["[::1]", { kind: "range", address: "::1", prefix: 128 }],
    ["fd12::/16", { kind: "range", address: "fd12::", prefix: 16 }],
  ])("%s is a name, an address or a range", (text, expected) => {
    expect(readAllowedHost(text)).toEqual(expected);
  });

  it.each([
    "",
    "http://api.example",
    "api.example:8080",
    "api.example/16",
    "*.example",
    "10.1.0.0/33",
    "10.1.0.0/",
    "10.1.0.0/8/8",
    "::1/129",
    "10.1.0",
    "2130706433",
    "0x7f.1",
  ])("%j is none", (text) => {
    expect(readAllowedHost(text)).toBeUndefined();
    expect(allowedHost.safeParse(text).error?.issues[0]?.message).toContain('a range such as "10.1.0.0/16"');
  });
});
