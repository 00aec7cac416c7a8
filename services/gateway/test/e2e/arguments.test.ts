import type { JsonObject } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import { ToolGatewayService } from "@toolgate/contract";
import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { callHttp, type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient, unary } from "./harness/grpc-client.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { deepStructCall } from "./harness/nested.ts";
import { clientTool, httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
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
  { text: "[1]", says: "array", what: "a list" },
  { text: "null", says: "null", what: "null" },
  {
    text: '{"a":1}{"a":1}',
    says: "complete before character 8, but goes on",
    what: "two objects one after the other (NousResearch/hermes-agent#6841)",
  },
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

const WANTED = {
  type: "object",
  properties: {
    count: { type: "integer" },
    id: { type: "integer" },
    flag: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    where: { type: "object", properties: { lat: { type: "number" } } },
    code: { type: ["string", "integer"] },
    note: { type: "string" },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
  },
  additionalProperties: false,
};
const SENT = {
  count: "42",
  id: "9007199254740993",
  flag: "True",
  tags: "a",
  where: '{"lat":"1.5"}',
  code: "007",
  note: null,
  maybe: "null",
};
const GOT = '{"count":42,"id":9007199254740993,"flag":true,"tags":["a"],"where":{"lat":1.5},"code":"007","maybe":null}';
const CHANGED = [
  'Argument /count: "42" was read as 42.',
  'Argument /id: "9007199254740993" was read as 9007199254740993.',
  'Argument /flag: "True" was read as true.',
  'Argument /tags: "a" was read as ["a"].',
  'Argument /where: "{\\"lat\\":\\"1.5\\"}" was read as {"lat":"1.5"}.',
  'Argument /where/lat: "1.5" was read as 1.5.',
  "Argument /note: null was left out, since it is optional and takes no null.",
  'Argument /maybe: "null" was read as null.',
];

/** The same arguments through every door and encoding; each with the envelope's warnings, in any order. */
const WAYS: Readonly<Record<string, (gateway: TestGateway, args: object) => Promise<readonly string[]>>> = {
  "gRPC, as text": async (gateway, args) =>
    (await callGrpc(grpcClient(gateway.grpc), asText("t", args))).meta?.warnings ?? [],
  "gRPC, as text of a text": async (gateway, args) =>
    (await callGrpc(grpcClient(gateway.grpc), asText("t", JSON.stringify(JSON.stringify(args))))).meta?.warnings ?? [],
  "gRPC, as a Struct": async (gateway, args) => {
    const target = { case: "tool" as const, value: "t" };
    const input = { case: "arguments" as const, value: args as JsonObject };
    return (await callGrpc(grpcClient(gateway.grpc), { target, input })).meta?.warnings ?? [];
  },
  HTTP: async (gateway, args) => (await callHttp(gateway, { tool: "t", params: args })).envelope.meta.warnings,
  "HTTP, as text": async (gateway, args) =>
    (await callHttp(gateway, { tool: "t", params: JSON.stringify(args) })).envelope.meta.warnings,
};

for (const [way, send] of Object.entries(WAYS)) {
  verifies(
    "call.arguments.coerced",
    `${way}: the tool gets what its schema wants, and the caller hears of it`,
    async () => {
      const { backend, gateway } = await gatewayWith({ input_schema: WANTED });
      const warnings = await send(gateway, SENT);
      expect(JSON.parse(backend.requests[0]?.body ?? "")).toEqual(JSON.parse(GOT));
      expect(backend.requests[0]?.body).toContain('"id":9007199254740993');
      expect(warnings.filter((warning) => warning.startsWith("Argument /"))).toHaveLength(CHANGED.length);
      expect(warnings).toEqual(expect.arrayContaining(CHANGED));
    },
  );
}

verifies("call.arguments.coerced", "what fits already reaches the tool as it was written, to the byte", async () => {
  const { backend, gateway } = await gatewayWith({ input_schema: WANTED });
  const text = '{ "count": 42.0, "code": "42", "where": { "lat": 1.50 }, "maybe": null }';
  expect((await callGrpc(grpcClient(gateway.grpc), asText("t", text))).meta?.warnings).toEqual([]);
  expect(backend.requests[0]?.body).toBe(text);
});

const LEFT_ALONE = { count: "1,000", id: "0x10", flag: "yes", tags: [1], where: "lat", maybe: "NaN" };

verifies(
  "call.arguments.coerced",
  "what would be a guess is refused, every place at once, and reaches no backend",
  async () => {
    const { backend, gateway } = await gatewayWith({ input_schema: WANTED });
    const { error, meta } = await callGrpc(grpcClient(gateway.grpc), asText("t", LEFT_ALONE));
    const places = ["/count", "/id", "/flag", "/tags/0", "/where", "/maybe"];
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(error?.violations.map(({ path }) => path).sort()).toEqual(places.sort());
    expect(error?.violations.find(({ path }) => path === "/count")).toMatchObject({ got: 'string "1,000"' });
    expect(meta?.warnings).toEqual([]);
    expect(backend.requests).toEqual([]);
  },
);

verifies(
  "call.arguments.coerced",
  "a tool of the agent's own gets its arguments back as its schema wants them",
  async () => {
    const gateway = await testGateway({ tools: { "t.yaml": clientTool("t", { input_schema: WANTED }) } });
    const { status: outcome, payload, meta } = await callGrpc(grpcClient(gateway.grpc), asText("t", SENT));
    expect(outcome).toBe("delegated");
    expect(payload).toEqual({ case: "dataJson", value: GOT });
    expect(meta?.warnings).toEqual(CHANGED);
  },
);

verifies("call.arguments.text", "no text at all means no arguments (openai/openai-agents-js#664)", async () => {
  const { backend, gateway } = await gatewayWith({});
  expect((await callGrpc(grpcClient(gateway.grpc), asText("t", ""))).status).toBe("success");
  expect((await callHttp(gateway, { tool: "t", params: "" })).envelope).toMatchObject({ status: "success" });
  expect(backend.requests).toHaveLength(2);
});
