import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { lostAnswer } from "./lost-answer.ts";
import { ToolgateError } from "./toolgate-error.ts";

describe("ToolgateError", () => {
  it("lets nothing of an unknown error out but into the cause", () => {
    const secret = new Error("password=hunter2 at /srv/app.js");
    for (const thrown of [secret, "hunter2", undefined, null, { message: "hunter2" }]) {
      const error = ToolgateError.from(thrown);
      expect(error.code).toBe("INTERNAL");
      expect(error.message).not.toContain("hunter2");
      expect(error.details.cause).toBe(thrown);
    }
    expect(ToolgateError.from(secret).cause).toBe(secret);
  });

  it("passes its own kind through", () => {
    const error = new ToolgateError("BLOCKED", "no");
    expect(ToolgateError.from(error)).toBe(error);
    expect("cause" in error).toBe(false);
  });

  it("is retryable as the table says, unless it says so itself", () => {
    expect(new ToolgateError("RATE_LIMITED", "").retryable).toBe(true);
    expect(new ToolgateError("TOOL_ERROR", "").retryable).toBe(false);
    expect(new ToolgateError("TOOL_ERROR", "", { retryable: true }).retryable).toBe(true);
    expect(new ToolgateError("RATE_LIMITED", "", { retryable: false }).retryable).toBe(false);
  });
});

describe("lostAnswer", () => {
  const cause = new Error("socket closed");

  it.each([{ idempotent: true }, { readOnly: true }])("is a timeout for a tool that is %o", (annotations) => {
    const error = lostAnswer(aTool({ annotations }), "gave no answer within 5 s", cause);
    expect(error).toMatchObject({ code: "BACKEND_TIMEOUT", retryable: true, cause });
    expect(error.message).toBe('The backend of "echo" gave no answer within 5 s.');
  });

  it.each([{}, { idempotent: false, readOnly: true }])("is an unknown outcome for a tool that is %o", (annotations) => {
    const error = lostAnswer(aTool({ annotations }), "closed the connection", cause);
    expect(error).toMatchObject({ code: "OUTCOME_UNKNOWN", retryable: false, cause });
    expect(error.message).toContain("may have run");
  });
});
