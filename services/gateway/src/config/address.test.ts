import { describe, expect, it } from "vitest";
import { address } from "./address.ts";

describe("address", () => {
  it.each([
    ["127.0.0.1:9000", "127.0.0.1", 9000],
    ["0.0.0.0:0", "0.0.0.0", 0],
    ["localhost:65535", "localhost", 65_535],
    ["[::1]:50051", "::1", 50_051],
    ["[::]:80", "::", 80],
    [9000, "127.0.0.1", 9000],
    [0, "127.0.0.1", 0],
  ])("reads %j", (text, host, port) => {
    expect(address.parse(text)).toEqual({ host, port });
  });

  it.each([
    "",
    "9000",
    "localhost",
    ":9000",
    "localhost:",
    "localhost:65536",
    "::1:9000",
    "[::1]",
    "http://a:1",
    "a:1/x",
    "a b:1",
    -1,
    65_536,
    1.5,
    null,
    true,
  ])("refuses %j", (text) => {
    expect(address.safeParse(text).success).toBe(false);
  });

  it("says what it expects", () => {
    expect(address.safeParse("9000").error?.issues[0]?.message).toContain(
      'Expected "host:port" such as 127.0.0.1:9000',
    );
  });
});
