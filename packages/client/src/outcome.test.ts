import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { CallResponseSchema, type ReportOutcomeRequest, ToolGatewayService } from "@toolgate/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { type ClientOptions, createClient, type ToolHandlers } from "./index.ts";

/** A client of a gateway that hands every call back, and what that gateway was told. */
function open(handlers: ToolHandlers, hear: () => void | Promise<void> = () => {}, options: ClientOptions = {}) {
  const told: ReportOutcomeRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(ToolGatewayService, {
      call: ({ callId, target }) => {
        const payload = { case: "dataJson" as const, value: "{}" };
        const envelope = { status: "delegated", tool: target.value ?? "", meta: { callId }, payload };
        return create(CallResponseSchema, { envelope });
      },
      async reportOutcome(request) {
        told.push(request);
        await hear();
        return { known: request.callId === "c1" };
      },
    });
  });
  const client = createClient({ handlers, ...options, transport });
  onTestFinished(() => client.close());
  return { client, told };
}

const FINE: ToolHandlers = { memory: () => "done" };

describe("the outcome of a handler", () => {
  it("is reported before the result is given", async () => {
    const { client, told } = open(FINE);
    expect(await client.call("memory", {}, { callId: "c1" })).toMatchObject({ status: "success", data: "done" });
    expect(told).toMatchObject([{ callId: "c1", status: "success", code: "" }]);
    expect(told[0]?.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it("is an error with its code where the handler fails", async () => {
    const { client, told } = open({
      memory: () => Promise.reject(new Error("disk full")),
      odd: () => ({ x: Number.NaN }),
    });
    await client.call("memory", {}, { callId: "c1" });
    await client.call("odd", {}, { callId: "c2" });
    expect(told).toMatchObject([
      { callId: "c1", status: "error", code: "TOOL_ERROR" },
      { callId: "c2", status: "error", code: "RESULT_INVALID" },
    ]);
  });

  it("is CANCELLED for a caller that goes away, who does not wait for the report", async () => {
    const controller = new AbortController();
    const { client, told } = open(
      {
        memory: () => {
          controller.abort();
          return new Promise(() => {});
        },
      },
      () => new Promise(() => {}),
    );
    const error = await failureOf(client.call("memory", {}, { callId: "c1", signal: controller.signal }));
    expect(error).toMatchObject({ code: "CANCELLED" });
    await expect.poll(() => told).toMatchObject([{ callId: "c1", status: "error", code: "CANCELLED" }]);
  });

  it("changes no result where the gateway does not want to hear it, and an older gateway is not asked again", async () => {
    let code = Code.Unavailable;
    const { client, told } = open(FINE, () => {
      throw new ConnectError("no", code);
    });
    const call = () => client.call("memory", {}, { callId: "c1" });
    expect(await call()).toMatchObject({ status: "success" });
    code = Code.Unimplemented;
    expect(await call()).toMatchObject({ status: "success" });
    expect(await call()).toMatchObject({ status: "success" });
    expect(told).toHaveLength(2);
  });

  it("is not reported where that is not wanted, nor where there is no handler", async () => {
    const { client, told } = open(FINE, undefined, { reportOutcomes: false });
    await client.call("memory");
    const { client: other } = open(FINE);
    await other.call("own");
    expect(told).toEqual([]);
  });

  it("can be reported by whoever ran the tool", async () => {
    const { client, told } = open({});
    expect(await client.reportOutcome({ callId: "c1", status: "error", code: "X", latencyMs: 3 })).toBe(true);
    expect(await client.reportOutcome({ callId: "c2", status: "success", latencyMs: 3 })).toBe(false);
    expect(told).toMatchObject([{ code: "X", latencyMs: 3 }, { code: "" }]);
  });
});
