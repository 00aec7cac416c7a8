import { describe, expect, it } from "vitest";
import { isLoopbackHost, refuseForeignPages } from "./browser-guard.ts";

describe("isLoopbackHost", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])("knows %s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    "",
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "128.0.0.1",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.evil.example",
    "evil-localhost",
    "2130706433",
    "::ffff:10.0.0.1",
  ])("does not take %j for it", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

describe("refuseForeignPages", () => {
  it.each([
    { host: "localhost:9000" },
    { host: "127.0.0.1:9000" },
    { host: "[::1]:9000" },
    { host: "127.0.0.1" },
    { host: "localhost:9000", origin: "http://localhost:5173" },
    { host: "localhost:9000", origin: "https://127.0.0.1" },
    { host: "localhost:9000", origin: "http://[::1]:3000" },
  ])("answers programs and pages of this machine: %j", (headers) => {
    expect(() => refuseForeignPages(headers)).not.toThrow();
  });

  it.each([
    ["a rebound name", { host: "evil.example:9000" }],
    ["a name that only begins like an address", { host: "127.0.0.1.evil.example" }],
    ["another machine's address", { host: "192.168.1.5:9000" }],
    ["no host", {}],
    ["an empty host", { host: "" }],
    ["a host that is none", { host: "local host" }],
    ["a foreign page", { host: "localhost:9000", origin: "http://evil.example" }],
    ["a page with a name like ours", { host: "localhost:9000", origin: "http://localhost.evil.example" }],
    ["a sandboxed page", { host: "localhost:9000", origin: "null" }],
    ["an origin that is none", { host: "localhost:9000", origin: "" }],
    ["both foreign", { host: "evil.example", origin: "http://evil.example" }],
  ])("security-05 (agentgateway/agentgateway#1855): refuses %s", (_what, headers) => {
    expect(() => refuseForeignPages(headers)).toThrow(expect.objectContaining({ code: "PERMISSION_DENIED" }));
  });

  it("answers pages of the origins that the operator named, and of no others", () => {
    const allowed = ["https://console.example"];
    const from = (origin: string) => () => refuseForeignPages({ host: "localhost:9000", origin }, allowed);
    expect(from("https://console.example")).not.toThrow();
    for (const other of ["http://console.example", "https://console.example:8443", "https://x.console.example"]) {
      expect(from(other)).toThrow(expect.objectContaining({ code: "PERMISSION_DENIED" }));
    }
    expect(() => refuseForeignPages({ host: "evil.example", origin: "https://console.example" }, allowed)).toThrow(
      "Host",
    );
  });
});
