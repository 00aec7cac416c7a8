import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemOfAddress } from "./address.ts";

describe("an address", () => {
  it.each(["localhost:50051", "10.0.0.7:1", "[::1]:65535", "my_service.ns.svc:443"])("may be %s", (address) => {
    expect(problemOfAddress(address)).toBeUndefined();
  });

  it.each([
    "localhost",
    "http://localhost:1",
    "unix:/tmp/sock",
    "dns:///x:1",
    "dns://8.8.8.8/x:1",
    "::1:50051",
    "user@host:1",
    "host:0",
    "host:65536",
    "host:1/path",
    "host: 1",
    ":1",
    "",
  ])("cannot be %j", (address) => {
    expect(problemOfAddress(address)).toBeTypeOf("string");
  });

  it("is one for every IPv4 address and port", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 1, max: 65_535 }), (ip, port) => {
        expect(problemOfAddress(`${ip}:${port}`)).toBeUndefined();
      }),
    );
  });
});
