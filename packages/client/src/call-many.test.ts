import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { argsText, clientOf, failed, success } from "./router-client.fixture.ts";

const calls = (count: number) => Array.from({ length: count }, (_, place) => ({ tool: "echo", args: { place } }));

describe("callMany", () => {
  it("gives the outcomes in the order of the calls, whichever ends first", async () => {
    const waiting: (() => void)[] = [];
    const client = clientOf(async (request) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        // The last one first.
        if (waiting.length === 3) for (const go of waiting.toReversed()) setImmediate(go);
      });
      return success(argsText(request));
    });
    const outcomes = await client.callMany(calls(3));
    expect(outcomes).toMatchObject([0, 1, 2].map((place) => ({ status: "success", data: { place } })));
  });

  it("runs eight at once where nothing is said", async () => {
    let [running, most] = [0, 0];
    const client = clientOf(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return success("1");
    });
    expect(await client.callMany(calls(30))).toHaveLength(30);
    expect(most).toBe(8);
  });

  it("loses no result to a call that fails", async () => {
    const client = clientOf((request) => {
      if (argsText(request) === '{"place":0}') throw new ConnectError("stopping", Code.Unavailable);
      return argsText(request) === '{"place":1}' ? failed("TOOL_ERROR") : success("1");
    });
    const outcomes = await client.callMany([...calls(3), { tool: "echo", args: { x: Number.NaN } }]);
    expect(outcomes).toMatchObject([
      { status: "failed", failure: { code: "UNAVAILABLE", mayHaveRun: false } },
      { status: "error", error: { code: "TOOL_ERROR" } },
      { status: "success", data: 1 },
      { status: "failed", failure: { code: "INVALID_ARGUMENT" } },
    ]);
  });

  it("passes each call's own options on", async () => {
    const client = clientOf(({ callId, sessionId }) => success(JSON.stringify([callId, sessionId])));
    const options = { callId: "c1", sessionId: "s" };
    expect(await client.callMany([{ tool: { capability: "search" }, options }])).toMatchObject([{ data: ["c1", "s"] }]);
  });

  it("sends nothing more where the signal is aborted, and keeps what is there", async () => {
    const controller = new AbortController();
    let sent = 0;
    const client = clientOf(() => {
      sent += 1;
      if (sent === 2) controller.abort();
      return sent === 2 ? new Promise(() => {}) : success("1");
    });
    const outcomes = await client.callMany(calls(5), { concurrency: 1, signal: controller.signal });
    expect(
      outcomes.map((outcome) => (outcome.status === "failed" ? outcome.failure.mayHaveRun : outcome.status)),
    ).toEqual(["success", true, false, false, false]);
    expect(sent).toBe(2);
  });

  it("calls nothing for nothing", async () => {
    expect(await clientOf(() => success("1")).callMany([])).toEqual([]);
  });

  it.each([0, 1.5, -1, Number.NaN, 1_001])("refuses a concurrency of %s", async (concurrency) => {
    const error = await failureOf(clientOf(() => success("1")).callMany(calls(1), { concurrency }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", mayHaveRun: false });
  });
});
