import { randomBytes } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { type Client, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { AdminService, ToolGatewayService } from "@toolgate/contract";
import fc from "fast-check";
import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { type TestGateway, testGateway } from "./harness/gateway.ts";
import { grpcClient, unary } from "./harness/grpc-client.ts";
import { deepJson } from "./harness/nested.ts";
import { rawHttp, rawPost } from "./harness/raw-http.ts";
import { clientTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

/** What must be in no answer: stacks, places in the code, paths of this machine. */
const INSIDES = /\n\s+at |node_modules|\.ts:\d|node:internal|toolgate-e2e-|\/home\/|\/tmp\/|\/work\//;

const gatewayWithTool = () => testGateway({ tools: { "t.yaml": clientTool("t") } });

/** The gateway still works, and nothing went wrong inside. */
async function lives(gateway: TestGateway): Promise<void> {
  expect((await callGrpc(grpcClient(gateway.grpc), asText("t"))).status).toBe("delegated");
  const answer = await rawHttp(gateway.http, rawPost("/v1/call", '{"tool":"t"}'));
  expect(answer.status).toBe(200);
  expect(gateway.logged()).not.toContain('"level":50');
}

interface Case {
  readonly what: string;
  readonly request: string | Buffer;
  readonly status: number;
  readonly code: string;
  readonly says: string | RegExp;
}

const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  rawPost("/v1/call", body, headers);
const INVALID = { status: 400, code: "INVALID_ARGUMENT" };

const HTTP_CASES: readonly Case[] = [
  { what: "an empty body", request: post(""), ...INVALID, says: "The body is empty" },
  { what: "no JSON", request: post("tool=t"), ...INVALID, says: "not valid JSON" },
  { what: "truncated JSON", request: post('{"tool":"t","params":{"a":1'), ...INVALID, says: "not valid JSON" },
  { what: "a trailing comma", request: post('{"tool":"t",}'), ...INVALID, says: "It breaks at character 13" },
  { what: "a list", request: post("[]"), ...INVALID, says: "must be a JSON object" },
  { what: "null", request: post("null"), ...INVALID, says: "must be a JSON object" },
  { what: "an unknown key", request: post('{"tool":"t","arguments":{}}'), ...INVALID, says: 'Did you mean "params"?' },
  { what: "a key __proto__", request: post('{"tool":"t","__proto__":{"raw":true}}'), ...INVALID, says: '"__proto__"' },
  { what: "a key constructor", request: post('{"tool":"t","constructor":1}'), ...INVALID, says: '"constructor"' },
  { what: "a tool that is a number", request: post('{"tool":5}'), ...INVALID, says: '"tool" must be a string' },
  {
    what: "params that are a list",
    request: post('{"tool":"t","params":[1]}'),
    ...INVALID,
    says: '"params" must be an object',
  },
  { what: "two targets", request: post('{"tool":"t","capability":"c"}'), ...INVALID, says: "not both" },
  {
    what: "a cache that is unknown",
    request: post('{"tool":"t","cache":"toString"}'),
    ...INVALID,
    says: '"cache" must be',
  },
  {
    what: "fields that are no texts",
    request: post('{"tool":"t","fields":[1]}'),
    ...INVALID,
    says: '"fields" must be',
  },
  { what: "10,000 levels", request: post(`{"tool":"t","params":${deepJson(10_000)}}`), ...INVALID, says: "512 levels" },
  { what: "a million brackets", request: post("[".repeat(1_000_000)), ...INVALID, says: "not valid JSON" },
  {
    what: "a number beyond every double",
    request: post('{"tool":"t","params":{"a":1e999}}'),
    ...INVALID,
    says: "out of range",
  },
  { what: "invalid UTF-8", request: post(Buffer.from('{"tool":"t\xff"}', "latin1")), ...INVALID, says: "UTF-8" },
  {
    what: "half a surrogate in UTF-8",
    request: post(Buffer.from('{"tool":"\xed\xa0\x80"}', "latin1")),
    ...INVALID,
    says: "UTF-8",
  },
  { what: "NUL in a name", request: post('{"tool":"t\\u0000"}'), status: 404, code: "TOOL_NOT_FOUND", says: "no tool" },
  { what: "a raw NUL byte", request: post('{"tool":"t\0"}'), ...INVALID, says: "not valid JSON" },
  {
    what: "another content type",
    request: post("{}", { "content-type": "text/xml" }),
    ...INVALID,
    says: "application/json",
  },
  {
    what: "a form",
    request: post("tool=t", { "content-type": "application/x-www-form-urlencoded" }),
    ...INVALID,
    says: "application/json",
  },
  {
    what: "no content type",
    request: `POST /v1/call HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`,
    ...INVALID,
    says: "application/json",
  },
  {
    what: "a path that is not there",
    request: rawPost("/v1/cal", "{}"),
    status: 404,
    code: "NOT_FOUND",
    says: "POST /v1/call",
  },
  {
    what: "another method",
    request: "GET /v1/call HTTP/1.1\r\nhost: localhost\r\n\r\n",
    status: 404,
    code: "NOT_FOUND",
    says: "GET /v1/call",
  },
  {
    what: "a path that cannot be decoded",
    request: "GET /%ff%zz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ...INVALID,
    says: "not well-formed",
  },
  {
    what: "a huge header",
    request: post("{}", { "x-huge": "x".repeat(64 * 1024) }),
    status: 431,
    code: "MESSAGE_TOO_LARGE",
    says: "larger than 16384 bytes",
  },
  {
    what: "no HTTP at all",
    request: "hello\r\n\r\n",
    status: 400,
    code: "INVALID_ARGUMENT",
    says: "not well-formed HTTP",
  },
  {
    what: "HTTP/2 on the HTTP port",
    request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    status: 400,
    code: "INVALID_ARGUMENT",
    says: "not well-formed HTTP",
  },
  {
    what: "a length that is a lie",
    request: "POST /v1/call HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
    status: 400,
    code: "INVALID_ARGUMENT",
    says: "not well-formed HTTP",
  },
];

verifies("doors.malformed", "through HTTP, each fault by its name", async () => {
  const gateway = await gatewayWithTool();
  for (const { what, request, status: expected, code, says } of HTTP_CASES) {
    const { status: got, body } = await rawHttp(gateway.http, request);
    expect([what, got, body]).toEqual([what, expected, body]);
    expect(body, what).not.toMatch(INSIDES);
    const { error, ...rest } = JSON.parse(body);
    expect(rest.status, what).toBe("error");
    expect([what, error.code]).toEqual([what, code]);
    expect(error.message, what).toContain(says);
    expect(error.message.length, what).toBeLessThan(500);
  }
  await lives(gateway);
});

verifies("doors.malformed", "any bytes as a body", async () => {
  const gateway = await gatewayWithTool();
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .constantFrom('{"tool":', '"t"', "}", "{", '"params":', "[", "]", ",", '"__proto__"', "\\u0000")
      .map((text) => Buffer.from(text)),
  );
  const bodies = fc.array(pieces, { maxLength: 8 }).map((parts) => Buffer.concat(parts));
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await rawHttp(gateway.http, post(body));
      expect([200, 400, 404]).toContain(answer.status);
      expect(JSON.parse(answer.body)).toMatchObject({ status: expect.stringMatching(/^(error|delegated)$/) });
      expect(answer.body).not.toMatch(INSIDES);
    }),
    { numRuns: 300 },
  );
  await lives(gateway);
});

const RPCS = [...Object.values(ToolGatewayService.method), ...Object.values(AdminService.method)];

verifies("doors.malformed", "any bytes as a message of any rpc", async () => {
  const gateway = await gatewayWithTool();
  const client = grpcClient(gateway.grpc);
  const messages = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    // Tags of fields that exist, and what does not fit them.
    fc
      .array(
        fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 5 }), fc.uint8Array({ maxLength: 20 })),
      )
      .map((fields) =>
        Buffer.concat(fields.map(([number, type, rest]) => Buffer.from([(number << 3) | type, ...rest]))),
      ),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...RPCS), messages, async (method, bytes) => {
      const error = await answerOf(client, method, Buffer.from(bytes));
      const allowed = [undefined, status.INVALID_ARGUMENT, status.UNIMPLEMENTED];
      expect(allowed, `${method.name}: ${error?.details}`).toContain(error?.code);
      expect(error?.details ?? "").not.toMatch(INSIDES);
    }),
    { numRuns: 300 },
  );
  await lives(gateway);
});

/** The status error that answers a message, if one does; of a stream only the beginning is read. */
function answerOf(client: Client, method: DescMethod, bytes: Buffer): Promise<ServiceError | undefined> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const pass = (message: Buffer) => message;
  return new Promise((resolve) => {
    if (method.methodKind === "unary") {
      client.makeUnaryRequest(path, pass, pass, bytes, (error) => resolve(error ?? undefined));
      return;
    }
    const stream = client.makeServerStreamRequest(path, pass, pass, bytes);
    stream.on("error", resolve);
    stream.on("data", () => {
      resolve(undefined);
      stream.cancel();
    });
  });
}

verifies("doors.malformed", "text that is not UTF-8, and a number that JSON has not, through gRPC", async () => {
  const gateway = await gatewayWithTool();
  const client = grpcClient(gateway.grpc);
  const { call } = ToolGatewayService.method;
  // Field 1, the tool, of two bytes that are no UTF-8.
  const notUtf8 = await unary(client, call, Buffer.from([0x0a, 2, 0xff, 0xfe])).result;
  expect(notUtf8.error?.code).toBe(status.INVALID_ARGUMENT);
  expect(notUtf8.error?.details).toContain("toolgate.v1.CallRequest");
  // Field 4, the arguments: {"a": NaN}.
  const nan = Buffer.from("2210" + "0a0e0a01611209" + "11000000000000f87f", "hex");
  const notANumber = await unary(client, call, Buffer.concat([Buffer.from("0a0174", "hex"), nan])).result;
  expect(notANumber.response?.envelope?.error).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "The argument at /a is NaN, which JSON has no number for.",
  });
  await lives(gateway);
});

verifies("doors.malformed", "a header that is too large, and an rpc and a service that are not there", async () => {
  const gateway = await gatewayWithTool();
  const client = grpcClient(gateway.grpc);
  const huge = new Metadata();
  huge.set("x-huge", randomBytes(128 * 1024).toString("hex"));
  await expect(callGrpc(client, asText("t"), { metadata: huge })).rejects.toMatchObject({ code: expect.any(Number) });
  const pass = (bytes: Buffer) => bytes;
  for (const path of ["/toolgate.v1.ToolGatewayService/Nothing", "/no.such.Service/Call"]) {
    const code = await new Promise((resolve) =>
      client.makeUnaryRequest(path, pass, pass, Buffer.alloc(0), (error) => resolve(error?.code)),
    );
    expect([path, code]).toEqual([path, status.UNIMPLEMENTED]);
  }
  await lives(gateway);
});
