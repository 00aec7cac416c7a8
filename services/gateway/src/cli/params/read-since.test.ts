import { expect, it } from "vitest";
import { UsageError } from "../exit-codes.ts";
import { readSince } from "./read-since.ts";

const NOW = Date.parse("2026-02-03T10:15:00Z");

it.each([
  ["10m", "2026-02-03T10:05:00Z"],
  ["2d", "2026-02-01T10:15:00Z"],
  ["2026-02-01", "2026-02-01T00:00:00Z"],
  ["2026-02-01T12:00:00+01:00", "2026-02-01T11:00:00Z"],
])("reads %s", (text, time) => {
  expect(readSince(text, NOW)).toEqual(new Date(time));
});

it.each(["", "yesterday", "10", "2026", "2026-13-01", "1738577700000"])("refuses %j", (text) => {
  expect(() => readSince(text, NOW)).toThrow(UsageError);
});
