import { expect } from "vitest";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { httpTool, type ToolFileKeys } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

interface Case {
  readonly what: string;
  readonly path: string;
  readonly keys: ToolFileKeys;
  readonly args: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const text = (name: string, more: object = {}) => ({ name, type: "string", ...more });

const CASES: readonly Case[] = [
  {
    what: "GET: a list repeats its key, a fixed header goes along, an argument can be a header",
    path: "/items/{kind}/all",
    keys: {
      params: [
        text("kind"),
        { name: "id", type: "array", items: { type: "integer" } },
        text("tenant", { in: "header", wire_name: "X-Tenant-Id" }),
      ],
      headers: { "x-fixed": "yes" },
    },
    args: { kind: "a b", id: [1, 2], tenant: "acme" },
    method: "GET",
    url: "/items/a%20b/all?id=1&id=2",
    headers: { "x-tenant-id": "acme", "x-fixed": "yes" },
    body: "",
  },
  {
    what: "POST: arguments are the JSON body, and one can go into the query",
    path: "/items",
    keys: { method: "POST", params: [text("title"), { name: "dry", type: "boolean", in: "query" }] },
    args: { title: "读🎉", dry: true },
    method: "POST",
    url: "/items?dry=true",
    headers: { "content-type": "application/json" },
    body: '{"title":"读🎉"}',
  },
  {
    what: "PUT, schema-11 (PrefectHQ/fastmcp#1107): an id in the path and an id in the body",
    path: "/users/{id}",
    keys: {
      method: "PUT",
      params: [text("id"), text("body_id", { in: "body", wire_name: "id" }), text("name")],
    },
    args: { id: "7", body_id: "8", name: "Ada" },
    method: "PUT",
    url: "/users/7",
    body: '{"id":"8","name":"Ada"}',
  },
  {
    what: "PATCH, schema-13 (doitintl/doit-mcp-server#225): with the content type that was stated",
    path: "/users/{id}",
    keys: { method: "PATCH", content_type: "application/merge-patch+json", params: [text("id"), text("name")] },
    args: { id: "7", name: "Ada" },
    method: "PATCH",
    url: "/users/7",
    headers: { "content-type": "application/merge-patch+json" },
    body: '{"name":"Ada"}',
  },
  {
    what: "DELETE: what has no place in the path goes into the query",
    path: "/users/{id}",
    keys: { method: "DELETE", params: [text("id"), text("reason")] },
    args: { id: "7", reason: "left & gone" },
    method: "DELETE",
    url: "/users/7?reason=left%20%26%20gone",
    body: "",
  },
  {
    what: "one argument can be the whole body",
    path: "/notes",
    keys: {
      method: "POST",
      content_type: "text/plain",
      body_argument: "note",
      params: [text("note"), text("folder")],
    },
    args: { note: "line 1\nline 2", folder: "inbox" },
    method: "POST",
    url: "/notes?folder=inbox",
    headers: { "content-type": "text/plain" },
    body: "line 1\nline 2",
  },
  {
    what: "http-05 (knowsuchagency/mcp2cli#116): one encoded segment, and no second substitution",
    path: "/{color}/{second}",
    keys: { params: [text("color"), text("second")] },
    args: { color: "team/{second}?#", second: "{color}" },
    method: "GET",
    url: "/team%2F%7Bsecond%7D%3F%23/%7Bcolor%7D",
    body: "",
  },
];

for (const { what, path, keys, args, method, url, headers = {}, body } of CASES) {
  verifies("http.parameters", what, async () => {
    const backend = await httpBackend(() => json({ ok: true }));
    const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url + path, keys) } });
    expect(await gateway.client.call("t", args)).toMatchObject({ status: "success" });
    expect((await callHttp(gateway, { tool: "t", params: args })).status).toBe(200);
    expect(backend.requests).toHaveLength(2);
    for (const request of backend.requests) {
      expect(request).toMatchObject({ method, url, body });
      expect(request.headers).toMatchObject(headers);
    }
  });
}

verifies("http.parameters", "HEAD has no body, in either direction", async () => {
  const backend = await httpBackend();
  const gateway = await testGateway({ tools: { "t.yaml": httpTool("t", backend.url, { method: "HEAD" }) } });
  expect(await gateway.client.call("t", { q: "x" })).toMatchObject({ status: "success", data: null });
  expect(backend.requests[0]).toMatchObject({ method: "HEAD", url: "/?q=x", body: "" });
});

verifies("http.parameters", "http-05 (knowsuchagency/mcp2cli#116): dot segments reach no backend", async () => {
  const backend = await httpBackend();
  const tool = httpTool("t", `${backend.url}/{color}/details`, { params: [text("color")] });
  const gateway = await testGateway({ tools: { "t.yaml": tool } });
  for (const color of ["..", ".", "%2e%2e"]) {
    const result = await gateway.client.call("t", { color });
    if (color === "%2e%2e") expect(result.status).toBe("success");
    else expect(result).toMatchObject({ error: { code: "INVALID_ARGUMENT", violations: [{ path: "/color" }] } });
  }
  expect(backend.requests.map(({ url }) => url)).toEqual(["/%252e%252e/details"]);
});
