import { describe, expect, it } from "vitest";
import { readAddress } from "./address.ts";

describe("readAddress", () => {
  it.each([
    ["127.0.0.1:50051", "http://127.0.0.1:50051", "127.0.0.1:50051"],
    [" localhost ", "http://localhost:50051", "localhost:50051"],
    ["gateway:80", "http://gateway", "gateway"],
    ["[::1]:6000", "http://[::1]:6000", "[::1]:6000"],
    ["http://gateway.example", "http://gateway.example", "gateway.example"],
    ["https://gateway.example:8443/", "https://gateway.example:8443", "gateway.example:8443"],
  ])("reads %s", (text, baseUrl, shown) => {
    expect(readAddress(text)).toEqual({ baseUrl, shown });
  });

  it.each([
    ["", 'Expected "HOST:PORT"'],
    ["not a host", 'Expected "HOST:PORT"'],
    ["host:port", 'Expected "HOST:PORT"'],
    ["host:99999", 'Expected "HOST:PORT"'],
    ["dns:///gateway:50051", 'The scheme "dns" is not known'],
    ["http://gateway:50051/v1", "gRPC knows no path"],
  ])("refuses %j", (text, why) => {
    expect(() => readAddress(text)).toThrow(why);
  });

  it("does not repeat a password", () => {
    expect(() => readAddress("http://me:secret@gateway:50051")).toThrow(/^(?!.*secret)/);
  });
});
