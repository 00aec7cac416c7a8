import type { CallError, CallMeta, CallResult } from "@toolgate/client";
import { describe, expect, it } from "vitest";
import { recordedTerminal } from "../terminal.fixture.ts";
import { renderResult } from "./call-result.ts";

const meta: CallMeta = {
  callId: "c1",
  latencyMs: 12.5,
  queueMs: 0,
  backendMs: 10,
  cached: false,
  attempts: 1,
  toolset: "web",
  backend: "http:api",
  warnings: [],
  truncated: false,
  limits: [],
};

const error: CallError = {
  code: "INVALID_ARGUMENT",
  class: "argument",
  message: "They do not fit.",
  retryable: false,
  violations: [],
  nearNames: [],
};

function rendered(result: object, columns?: number) {
  const terminal = recordedTerminal(columns === undefined ? {} : { columns });
  renderResult({ tool: "t", meta, ...result } as CallResult, terminal);
  return { out: terminal.stdout(), err: terminal.stderr() };
}

describe("a result", () => {
  it("is JSON with every digit, and nothing else on stdout", () => {
    expect(rendered({ status: "success", data: { id: 1917043659912705296n } })).toEqual({
      out: '{\n  "id": 1917043659912705296\n}\n',
      err: "t · 12.5 ms · call c1\n",
    });
  });

  it("is text where it is text", () => {
    expect(rendered({ status: "success", data: "a\nb\n" }).out).toBe("a\nb\n");
    expect(rendered({ status: "success", data: "\u001b[31mred" }).out).toBe("\u001b[31mred\n");
    expect(rendered({ status: "success", data: "\u001b[31mred" }, 80).out).toBe("\ufffd[31mred\n");
  });

  it("comes with what the reader should know", () => {
    const told = { ...meta, cached: true, attempts: 3, truncated: true, warnings: ["old"] };
    expect(rendered({ status: "success", data: 1, meta: told }).err).toBe(
      "warning: old\nt · 12.5 ms · cached · 3 attempts · the result was cut · call c1\n",
    );
  });

  it("says that the agent runs a delegated tool", () => {
    const { out, err } = rendered({ status: "delegated", data: { a: 1 } });
    expect(out).toBe('{\n  "a": 1\n}\n');
    expect(err).toContain("The agent runs this tool itself");
  });
});

describe("an error", () => {
  it("is told on stderr, each violation on a line", () => {
    const violations = [
      { path: "/limit", expected: "an integer", got: '"x"' },
      { path: "", expected: "an object", got: "a list" },
    ];
    const full = {
      ...error,
      violations,
      nearNames: ["near"],
      retryAfterMs: 5210,
      backendAnswer: { status: "400", body: "bad zone" },
    };
    expect(rendered({ status: "error", error: full, meta: { ...meta, attempts: 0 } })).toEqual({
      out: "",
      err: [
        "INVALID_ARGUMENT They do not fit.",
        '  /limit: expected an integer, got "x"',
        "  (whole): expected an object, got a list",
        "  The backend answered 400: bad zone",
        "  Near names: near",
        "  Try again in 5.3 s.",
        "t · 12.5 ms · backend not reached for · call c1",
        "",
      ].join("\n"),
    });
  });

  it("does not repeat near names, and does not steer the terminal", () => {
    const { err } = rendered(
      { status: "error", error: { ...error, message: "Did you mean near?\u009b2J", nearNames: ["near"] } },
      80,
    );
    expect(err.split("\n")[0]).toBe("<red>INVALID_ARGUMENT</red> Did you mean near?\ufffd2J");
    expect(err).not.toContain("Near names");
  });
});
