import { describe, expect, it } from "vitest";
import { hostPort, readGateway, readHostPort } from "./address.ts";

describe("a gateway's address", () => {
  it.each([
    ["127.0.0.1:50051", "127.0.0.1:50051", false],
    ["gateway", "gateway:50051", false],
    ["[::1]", "[::1]:50051", false],
    ["[::1]:7", "[::1]:7", false],
    ["http://gateway:1/", "gateway:1", false],
    [" HTTPS://gw.example ", "gw.example:50051", true],
  ])("%s", (text, target, tls) => {
    expect(readGateway(text)).toEqual({ target, tls });
  });

  it.each(["", "http://", "a/b", "::1", "h:x", "h:123456"])("%j is refused in words", (text) => {
    expect(() => readGateway(text)).toThrow(/must be "HOST:PORT"/);
  });
});

describe("an address to listen on", () => {
  it("is written as it is read", () => {
    for (const text of ["127.0.0.1:0", "[::1]:9000", "tools.example:65535"]) {
      expect(hostPort(readHostPort(text, "listen"))).toBe(text);
    }
  });
});
