import type { ClientErrorCode } from "@toolgate/client";
import { expect, it } from "vitest";
import { exitCodeOf } from "./exit-codes.ts";

it.each<[ClientErrorCode, number]>([
  ["UNAVAILABLE", 3],
  ["DEADLINE_EXCEEDED", 3],
  ["CANCELLED", 130],
  ["INVALID_ARGUMENT", 2],
  ["UNAUTHENTICATED", 1],
  ["PERMISSION_DENIED", 1],
  ["MESSAGE_TOO_LARGE", 1],
  ["UNIMPLEMENTED", 1],
  ["INVALID_RESPONSE", 1],
  ["INTERNAL", 1],
])("%s is exit code %i", (code, exitCode) => {
  expect(exitCodeOf(code)).toBe(exitCode);
});
