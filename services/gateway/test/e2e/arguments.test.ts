import { status } from "@grpc/grpc-js";
import { ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient, unary } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { deepStructCall } from "./harness/nested.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

async function gatewayWith(keys: ToolFileKeys) {
  const backend = await httpBackend(({ body }) => ({ headers: { "content-type": "application/json" }, body }));
  const gateway = await testGateway({
    tools: { "t.yaml": httpTool("t", backend.url, { method: "POST", ...keys }) },
  });
  return { backend, gateway };
}

const PARAMS = [
  { name: "city", type: "string", required: true, minLength: 1 },
  { name: "days", type: "integer", minimum: 1, maximum: 14, default: 3 },
  { name: "units", enum: ["metric", "imperial"] },
];

verifies("call.arguments.schema", "every violation at once, the same through both doors and encodings", async () => {
  const { backend, gateway } = await gatewayWith({ params: PARAMS });
  const args = { days: "three", units: "kelvin", citty: "Beijing" };
  const expected = [
    { path: "/city", expected: expect.stringMatching(/^string\b.*\(required\)$/), got: "nothing" },
    { path: "/citty", expected: 'no such property; did you mean "city"?', got: 'string "Beijing"' },
    { path: "/days", expected: expect.stringMatching(/^integer\b/), got: 'string "three"' },
    { path: "/units", expected: 'one of "metric", "imperial"', got: 'string "kelvin"' },
  ];
  const client = grpcClient(gateway.grpc);
  const viaText = await callGrpc(client, asText("t", args));
  const viaStruct = await callGrpc(client, {
    target: { case: "tool", value: "t" },
    input: { case: "arguments", value: args },
  });
  const viaHttp = await callHttp(gateway, { tool: "t", params: args });
  for (const error of [viaText.error, viaStruct.error, viaHttp.envelope.error]) {
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", class: "argument", retryable: false });
    expect(error.violations.map(plain)).toHaveLength(expected.length);
    expect(error.violations.map(plain)).toEqual(expect.arrayContaining(expected));
  }
  expect(viaHttp.status).toBe(400);
  expect(viaText.meta).toMatchObject({ attempts: 0, backend: expect.stringMatching(/^http:/) });
  expect(backend.requests).toEqual([]);
});

function plain({ path, expected, got }: { path: string; expected: string; got: string }) {
  return { path, expected, got };
}

verifies("call.arguments.schema", "defaults are filled in and what fits goes through as it came", async () => {
  const { backend, gateway } = await gatewayWith({ params: PARAMS });
  const { status: outcome } = await gateway.client.call("t", { city: "Beijing" });
  expect(outcome).toBe("success");
  expect(JSON.parse(backend.requests[0]?.body ?? "")).toEqual({ city: "Beijing", days: 3 });
});

verifies(
  "call.arguments.schema",
  "security-12 (node-config/node-config#906): __proto__ is an argument like any other",
  async () => {
    const { backend, gateway } = await gatewayWith({ input_schema: '{"type":"object","required":["__proto__"]}' });
    expect(await gateway.client.call("t", "{}")).toMatchObject({
      error: { code: "INVALID_ARGUMENT", violations: [{ path: "/__proto__", got: "nothing" }] },
    });
    expect(backend.requests).toEqual([]);
    expect(await gateway.client.call("t", '{"__proto__":{"x":1}}')).toMatchObject({ status: "success" });
    expect(backend.requests[0]?.body).toBe('{"__proto__":{"x":1}}');

    const closed = await gatewayWith({ params: PARAMS });
    expect(await closed.gateway.client.call("t", '{"city":"x","__proto__":{"x":1}}')).toMatchObject({
      error: { code: "INVALID_ARGUMENT", violations: [{ path: "/__proto__" }] },
    });
    expect(closed.backend.requests).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  },
);

verifies(
  "call.arguments.schema",
  "schema-01 (modelcontextprotocol/typescript-sdk#2337): each tool is checked by the dialect that it names",
  async () => {
    const draft07 = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      definitions: { id: { type: "integer" } },
      properties: { pair: { type: "array", items: [{ $ref: "#/definitions/id" }] } },
    };
    const draft2020 = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { id: { type: "integer" } },
      properties: { pair: { type: "array", prefixItems: [{ $ref: "#/$defs/id" }] } },
    };
    const backend = await httpBackend();
    const tool = (name: string, input_schema: object) => httpTool(name, backend.url, { method: "POST", input_schema });
    const gateway = await testGateway({ tools: { "a.yaml": tool("old", draft07), "b.yaml": tool("new", draft2020) } });
    for (const name of ["old", "new"]) {
      expect(await gateway.client.call(name, { pair: [1] })).toMatchObject({ status: "success" });
      expect(await gateway.client.call(name, { pair: ["x"] })).toMatchObject({
        error: { code: "INVALID_ARGUMENT", violations: [{ path: "/pair/0", expected: "integer" }] },
      });
    }
  },
);

const BROKEN = [
  { text: '{"path":"a","content":"hel', says: "cut off", what: "coercion-12 (brightwave-inc/tidebreak#1129): cut off" },
  { text: "", says: "empty", what: "empty text" },
  { text: "[1]", says: "array", what: "a list" },
  { text: "null", says: "null", what: "null" },
  { text: '{"a":1} x', says: "character 9", what: "more after the end" },
  { text: `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, says: "512 levels", what: "10,000 levels deep" },
  { text: '{"a":1e999}', says: "out of range", what: "a number beyond every double" },
];

for (const { text, says, what } of BROKEN) {
  verifies("call.arguments.text", what, async () => {
    const { backend, gateway } = await gatewayWith({});
    const { error, status: outcome } = await callGrpc(grpcClient(gateway.grpc), asText("t", text));
    expect(outcome).toBe("error");
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", retryable: false });
    expect(error?.message).toContain(says);
    expect(error?.message.length).toBeLessThan(300);
    expect(backend.requests).toEqual([]);
  });
}

verifies("call.arguments.text", "a Struct that is 10,000 levels deep is refused before there is a call", async () => {
  const { backend, gateway } = await gatewayWith({});
  const { error } = await unary(grpcClient(gateway.grpc), ToolGatewayService.method.call, deepStructCall("t", 10_000))
    .result;
  expect(error?.code).toBe(status.INVALID_ARGUMENT);
  expect(error?.details).toContain("maximum recursion depth");
  expect(backend.requests).toEqual([]);
});
