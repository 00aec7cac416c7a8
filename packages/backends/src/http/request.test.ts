import type { Invocation, JsonObject, Tool } from "@toolgate/core";
import { parseJson, ToolgateError } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { httpTool } from "../../test/http-tool.ts";
import { planTool } from "./plan.ts";
import { type OutgoingRequest, writeRequest } from "./request.ts";

const BASE = "http://api.example";

function write(tool: Tool, args: JsonObject, changes: Partial<Invocation> = {}): OutgoingRequest {
  const { plan, problems } = planTool(tool);
  if (plan === undefined) throw new Error(JSON.stringify(problems));
  return writeRequest(plan, anInvocation(tool, args, changes));
}

function refusal(tool: Tool, args: JsonObject, changes: Partial<Invocation> = {}): ToolgateError {
  try {
    write(tool, args, changes);
  } catch (error) {
    if (error instanceof ToolgateError) return error;
    throw error;
  }
  throw new Error("the request was written");
}

function headersOf({ headers }: OutgoingRequest): Record<string, string> {
  const pairs = headers.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), headers[i + 1] as string]] : []));
  return Object.fromEntries(pairs);
}

describe("the path", () => {
  const tool = httpTool({ endpoint: `${BASE}/{color}/details` });

  it.each([
    ["team/item", "team%2Fitem"],
    ["a?b#c", "a%3Fb%23c"],
    ["{second}", "%7Bsecond%7D"],
    ["%2e%2e", "%252e%252e"],
    ["读 é", "%E8%AF%BB%20%C3%A9"],
    ["half \ud800 pair", "half%20%EF%BF%BD%20pair"],
    ["...", "..."],
  ])("http-05 (knowsuchagency/mcp2cli#116): %j is one encoded segment", (value, segment) => {
    expect(write(tool, { color: value }).path).toBe(`/${segment}/details`);
  });

  it.each(["..", ".", "../admin", "a/../../b", "..\\b", "a/.."])(
    "http-05 (knowsuchagency/mcp2cli#116): the dot segments of %j are refused",
    (value) => {
      const error = refusal(tool, { color: value });
      expect(error.code).toBe("INVALID_ARGUMENT");
      expect(error.details.violations).toEqual([expect.objectContaining({ path: "/color" })]);
    },
  );

  it("http-05 (knowsuchagency/mcp2cli#116): a value is never taken for a placeholder", () => {
    const two = httpTool({ endpoint: `${BASE}/{first}/{second}` });
    expect(write(two, { first: "{second}", second: "x" }).path).toBe("/%7Bsecond%7D/x");
  });

  it("does not let two values be a step up together", () => {
    const side = httpTool({ endpoint: `${BASE}/safe/{a}{b}/x` });
    expect(refusal(side, { a: ".", b: "." }).code).toBe("INVALID_ARGUMENT");
    expect(write(side, { a: "v", b: "1" }).path).toBe("/safe/v1/x");
  });

  it.each([[{}], [{ color: null }], [{ color: "" }], [{ color: [] }]])("is not written with a hole: %j", (args) => {
    const error = refusal(tool, args as JsonObject);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain('"color"');
  });

  it("writes numbers, booleans and lists as they are", () => {
    expect(write(tool, { color: 9007199254740993n }).path).toBe("/9007199254740993/details");
    expect(write(tool, { color: false }).path).toBe("/false/details");
    expect(write(tool, { color: ["a,b", 2] }).path).toBe("/a%2Cb,2/details");
  });

  it("fills a placeholder that occurs twice", () => {
    const twice = httpTool({ endpoint: `${BASE}/{id}/copy/{id}` }, { args: ["id"] });
    expect(write(twice, { id: "x y" }).path).toBe("/x%20y/copy/x%20y");
  });

  it("never leaves its segment, whatever the value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (value) => {
        try {
          const url = new URL(write(tool, { color: value }).path, BASE);
          expect(url.pathname.split("/")).toHaveLength(3);
          expect(url.pathname.endsWith("/details")).toBe(true);
          expect(url.search + url.hash).toBe("");
        } catch (error) {
          expect((error as ToolgateError).code).toBe("INVALID_ARGUMENT");
        }
      }),
    );
  });
});

describe("the query", () => {
  const tool = httpTool({ endpoint: `${BASE}/search?lang=de` });

  it("repeats the key of a list and leaves out what is null", () => {
    const args = { q: "a b&c", tag: ["x", null, "y"], none: null, empty: [] };
    expect(write(tool, args).path).toBe("/search?lang=de&q=a%20b%26c&tag=x&tag=y");
  });

  it("writes scalars as they are and objects as JSON", () => {
    const args = { n: 1.5, big: 12345678901234567890n, flag: false, filter: { a: [1] } };
    expect(write(tool, args).path).toBe(
      "/search?lang=de&n=1.5&big=12345678901234567890&flag=false&filter=%7B%22a%22%3A%5B1%5D%7D",
    );
  });

  it("has the arguments of GET, HEAD and DELETE, and no body", () => {
    for (const method of ["GET", "HEAD", "DELETE"]) {
      const request = write(httpTool({ endpoint: `${BASE}/x`, method }), { a: 1 });
      expect(request).toMatchObject({ path: "/x?a=1", body: null });
      expect(headersOf(request)["content-type"]).toBeUndefined();
    }
  });

  it("fills placeholders of the endpoint, and drops the pair when there is nothing", () => {
    const placed = httpTool({ endpoint: `${BASE}/s?query={text}&k=1` }, { args: ["text"] });
    expect(write(placed, { text: "é" }).path).toBe("/s?k=1&query=%C3%A9");
    expect(write(placed, {}).path).toBe("/s?k=1");
  });

  it("does not let an argument that nobody planned add to a fixed one", () => {
    expect(refusal(tool, { lang: "en" }).code).toBe("INVALID_ARGUMENT");
  });

  it("keeps every name and value whole", () => {
    const plain = httpTool({ endpoint: `${BASE}/x` });
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.string({ unit: "binary" }), (name, value) => {
        const query = new URL(write(plain, Object.fromEntries([[name, value]])).path, BASE).searchParams;
        expect([...query]).toEqual([[name.toWellFormed(), value.toWellFormed()]]);
      }),
    );
  });
});

describe("the body", () => {
  const post = httpTool({ endpoint: `${BASE}/orders`, method: "POST" });

  it("is the text of the arguments, untouched, where all of them go there", () => {
    const argsText = '{ "price": 1.10, "id": 9007199254740993 }';
    const request = write(post, parseJson(argsText) as JsonObject, { argsText });
    expect(request.body).toBe(argsText);
    expect(headersOf(request)["content-type"]).toBe("application/json");
  });

  it("is written with every digit where the text is not known", () => {
    expect(write(post, { id: 9007199254740993n, gone: null }).body).toBe('{"id":9007199254740993,"gone":null}');
  });

  it("is written anew where some arguments go elsewhere", () => {
    const put = httpTool({ endpoint: `${BASE}/users/{id}`, method: "PUT" });
    const argsText = '{"id":7,"name":"x"}';
    const request = write(put, { id: 7, name: "x" }, { argsText });
    expect(request).toMatchObject({ path: "/users/7", body: '{"name":"x"}' });
  });

  it("takes __proto__ for a name like any other", () => {
    const put = httpTool({ endpoint: `${BASE}/users/{id}`, method: "PUT" });
    const args = parseJson('{"id":1,"__proto__":{"x":1}}') as JsonObject;
    expect(write(put, args).body).toBe('{"__proto__":{"x":1}}');
  });

  it("is an empty object where the schema has body arguments and none came, and nothing where it has none", () => {
    expect(write(httpTool({ endpoint: `${BASE}/x`, method: "POST" }, { args: ["a"] }), {}).body).toBe("{}");
    expect(write(post, {}).body).toBeNull();
    const activate = httpTool({ endpoint: `${BASE}/users/{id}/activate`, method: "POST" }, { args: ["id"] });
    expect(write(activate, { id: 1 }).body).toBeNull();
  });

  it("schema-10 (PrefectHQ/fastmcp#5112): a query parameter and a whole body of nearly one name both arrive", () => {
    const settings = {
      endpoint: `${BASE}/bulk`,
      method: "POST",
      body_argument: "Values",
      locations: { values: "query" },
    };
    const tool = httpTool(settings, { args: ["values", "Values"] });
    expect(write(tool, { values: "q", Values: [1, { a: 2n }] })).toMatchObject({
      path: "/bulk?values=q",
      body: '[1,{"a":2}]',
    });
  });

  it("schema-11 (PrefectHQ/fastmcp#1107): an id in the path and an id in the body are two arguments", () => {
    const settings = {
      endpoint: `${BASE}/users/{id}`,
      method: "PUT",
      locations: { id: "path", body_id: "body" },
      names: { body_id: "id" },
    };
    const tool = httpTool(settings, { args: ["id", "body_id", "name"] });
    expect(write(tool, { id: 1, body_id: 2, name: "x" })).toMatchObject({
      path: "/users/1",
      body: '{"id":2,"name":"x"}',
    });
  });

  it("schema-13 (doitintl/doit-mcp-server#225): the stated content type is sent", () => {
    const settings = { endpoint: `${BASE}/x`, method: "PATCH", content_type: "application/merge-patch+json" };
    const request = write(httpTool(settings), { title: null });
    expect(request.body).toBe('{"title":null}');
    expect(headersOf(request)["content-type"]).toBe("application/merge-patch+json");
  });

  it("takes the content type from the headers too, and sends it once", () => {
    const settings = { endpoint: `${BASE}/x`, method: "POST", headers: { "Content-Type": "application/vnd.api+json" } };
    const { headers } = write(httpTool(settings), { a: 1 });
    expect(headers.filter((name) => name.toLowerCase() === "content-type")).toHaveLength(1);
    expect(headers).toContain("application/vnd.api+json");
  });

  it("can be a form", () => {
    const settings = { endpoint: `${BASE}/x`, method: "POST", content_type: "application/x-www-form-urlencoded" };
    const args = { "a b": "c&d é", list: [1, true], none: null };
    expect(write(httpTool(settings), args).body).toBe("a+b=c%26d+%C3%A9&list=1&list=true");
  });

  it("can be one argument's text", () => {
    const settings = { endpoint: `${BASE}/x`, method: "POST", content_type: "text/plain", body_argument: "note" };
    expect(write(httpTool(settings), { note: "hi é", n: 1 })).toMatchObject({ body: "hi é", path: "/x?n=1" });
    expect(refusal(httpTool(settings), { note: { a: 1 } }).details.violations?.[0]).toMatchObject({ path: "/note" });
  });
});

describe("the headers", () => {
  it("schema-14 (samanhappy/mcphub#1057): an argument can be a header", () => {
    const settings = { endpoint: `${BASE}/x`, locations: { tenant: "header" }, names: { tenant: "X-Tenant-Id" } };
    const request = write(httpTool(settings, { args: ["tenant"] }), { tenant: 42 });
    expect(headersOf(request)).toMatchObject({ "x-tenant-id": "42" });
    expect(request.path).toBe("/x");
  });

  it.each(["a\r\nx-evil: 1", "a\nb", "nul \0", "读"])("refuse the value %j by the argument's name", (value) => {
    const tool = httpTool({ endpoint: `${BASE}/x`, locations: { tag: "header" } }, { args: ["tag"] });
    const error = refusal(tool, { tag: value });
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain('"tag"');
  });

  it("carry the trace context, but nothing that would break a header", () => {
    const tool = httpTool({ endpoint: `${BASE}/x` });
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=1" };
    expect(headersOf(write(tool, {}, { trace }))).toMatchObject(trace);
    const broken = headersOf(write(tool, {}, { trace: { ...trace, tracestate: "a=1\r\nx: 1" } }));
    expect(broken).not.toHaveProperty("tracestate");
  });

  it("carry the idempotency key only where a header is named for it", () => {
    const idempotencyKey = "key-1";
    const plain = httpTool({ endpoint: `${BASE}/x`, method: "POST" });
    expect(write(plain, {}, { idempotencyKey }).headers).not.toContain("key-1");
    const supporting = httpTool({ endpoint: `${BASE}/x`, method: "POST", idempotency_header: "Idempotency-Key" });
    expect(headersOf(write(supporting, {}, { idempotencyKey }))).toMatchObject({ "idempotency-key": "key-1" });
    expect(refusal(supporting, {}, { idempotencyKey: "a\r\nb" }).code).toBe("INVALID_ARGUMENT");
  });
});
