import { describe, expect, it } from "vitest";
import { decodeText } from "./decode-text.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const problemOf = (bytes: Uint8Array) => {
  const decoded = decodeText(bytes, "a.yaml");
  return decoded.ok ? undefined : decoded.problem;
};

describe("decodeText", () => {
  it("reads UTF-8 and drops a byte order mark", () => {
    expect(decodeText(utf8("\uFEFFname: 天气"), "a.yaml")).toEqual({ ok: true, text: "name: 天气" });
  });

  it("places the first byte that is not UTF-8", () => {
    expect(problemOf(Uint8Array.from([...utf8("a: b\nc: é"), 0xe9, 0x0a]))).toMatchObject({ line: 2, column: 5 });
  });

  it("is not misled by replacement characters that are really there", () => {
    expect(problemOf(Uint8Array.from([...utf8("a: \uFFFD\nb: \uFFFDx"), 0xff]))).toMatchObject({ line: 2, column: 6 });
  });

  it("names UTF-16", () => {
    expect(problemOf(Uint8Array.from([0xff, 0xfe, 0x61, 0x00]))?.message).toMatch(/UTF-16.*UTF-8/);
  });
});
