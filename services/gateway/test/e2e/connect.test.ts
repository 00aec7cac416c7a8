import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { clientTool, httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const BIG = "1917043659912705296";

const PROTOCOLS = {
  "Connect with JSON": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect with protobuf": (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

for (const [protocol, transport] of Object.entries(PROTOCOLS)) {
  verifies("doors.connect", `${protocol}: a call, a list and a watch`, async () => {
    const backend = await httpBackend(({ url }) => ({ body: `{"Id":${BIG},"url":${JSON.stringify(url)}}` }));
    const gateway = await testGateway({
      tools: { "find.yaml": httpTool("find", backend.url), "mine.yaml": clientTool("mine") },
    });
    const client = createClient(ToolGatewayService, transport(gateway.http));
    const { envelope } = await client.call({
      target: { case: "tool", value: "find" },
      input: { case: "argumentsJson", value: '{"city":"北京"}' },
    });
    expect(envelope).toMatchObject({ status: "success", tool: "find", meta: { attempts: 1 } });
    expect(envelope?.payload.value).toBe(`{"Id":${BIG},"url":"/?city=${encodeURIComponent("北京")}"}`);

    const unknown = await client.call({ target: { case: "tool", value: "fnd" } });
    expect(unknown.envelope?.error).toMatchObject({ code: "TOOL_NOT_FOUND", nearNames: ["find"] });
    expect((await client.listTools({})).tools.map(({ name }) => name)).toEqual(["find", "mine"]);

    const kinds: (string | undefined)[] = [];
    const watching = (async () => {
      for await (const { event } of client.watchToolsets({})) kinds.push(event.case);
    })();
    await eventually(() => kinds).toEqual(["added", "synced"]);
    const stopping = gateway.stop();
    await expect(watching).rejects.toMatchObject({ code: Code.Unavailable });
    await stopping;
  });
}

verifies("doors.connect", "a caller that goes away, or whose time is up, ends the request at the backend", async () => {
  const backend = await httpBackend(() => "hang");
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const client = createClient(ToolGatewayService, PROTOCOLS["gRPC-Web"](gateway.http));
  const request = { target: { case: "tool", value: "slow" } } as const;
  const controller = new AbortController();
  const call = client.call(request, { signal: controller.signal });
  await eventually(() => backend.requests.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: Code.Canceled });
  await backend.requests[0]?.aborted;
  await client.call(request, { timeoutMs: 200 }).catch((error: unknown) => {
    expect(ConnectError.from(error).code).toBe(Code.DeadlineExceeded);
  });
  await backend.requests[1]?.aborted;
});

verifies("doors.connect", "a call in flight gets its answer when the gateway stops", async () => {
  const release = Promise.withResolvers<void>();
  const backend = await httpBackend(async () => {
    await release.promise;
    return json({ done: true });
  });
  const gateway = await testGateway({ tools: { "slow.yaml": httpTool("slow", backend.url) } });
  const client = createClient(ToolGatewayService, PROTOCOLS["Connect with JSON"](gateway.http));
  const running = client.call({
    target: { case: "tool", value: "slow" },
    input: { case: "argumentsJson", value: "{}" },
  });
  await eventually(() => backend.requests.length).toBe(1);
  const stopping = gateway.stop();
  release.resolve();
  expect((await running).envelope).toMatchObject({ status: "success", payload: { value: '{"done":true}' } });
  await stopping;
});

verifies(
  "doors.connect",
  "curl needs nothing but JSON; what cannot be read is told in the protocol's own form",
  async () => {
    const backend = await httpBackend(() => json({ ok: true }));
    const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url) } });
    const post = async (rpc: string, body: string, type = "application/json") => {
      const response = await fetch(`${gateway.http}/toolgate.v1.ToolGatewayService/${rpc}`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      return { status: response.status, text: await response.text() };
    };
    const called = await post("Call", '{"tool":"t","arguments":{"city":"Beijing"}}');
    expect([called.status, JSON.parse(called.text)]).toMatchObject([
      200,
      { envelope: { status: "success", data: { ok: true } } },
    ]);

    for (const body of ['{"tool":', '{"tol":"t"}', '{"tool":5}', "[]"]) {
      const { status, text } = await post("Call", body);
      expect([body, status, JSON.parse(text)]).toMatchObject([body, 400, { code: "invalid_argument" }]);
      expect(text).not.toMatch(/\n\s+at |node_modules|\/work\//);
    }
    expect((await post("Call", "{}", "text/xml")).status).toBe(415);
    expect((await post("Nothing", "{}")).status).toBe(404);
    expect(backend.requests).toHaveLength(1);
    expect(gateway.logged()).not.toContain('"level":50');
  },
);
