import { expect } from "vitest";
import { ToolgateClientError } from "./client-error.ts";

/** What the promise rejects with, which must be this client's own error. */
export async function failureOf(promise: Promise<unknown>): Promise<ToolgateClientError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ToolgateClientError);
  return error as ToolgateClientError;
}
