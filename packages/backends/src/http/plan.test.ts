import type { JsonObject } from "@toolgate/core";
import { aSchema } from "@toolgate/testkit/builders";
import { describe, expect, it } from "vitest";
import { httpTool } from "../../test/http-tool.ts";
import { createHttpBackend } from "./index.ts";

const backend = createHttpBackend();
const ENDPOINT = "http://api.example/x";

function problems(settings: JsonObject, args?: readonly string[]) {
  return backend.inspect(httpTool(settings, args === undefined ? {} : { args }));
}

describe("inspecting a definition", () => {
  it("finds nothing wrong with the weather tool of the article", () => {
    expect(problems({ endpoint: "http://localhost:8080/weather", method: "GET" }, ["city"])).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[] | undefined, string, string]>([
    ["no endpoint", {}, undefined, "/backend/settings/endpoint", "string"],
    ["an unknown method", { endpoint: ENDPOINT, method: "FETCH" }, undefined, "/backend/settings/method", "GET"],
    ["an unknown key", { endpoint: ENDPOINT, metod: "GET" }, undefined, "/backend/settings", "metod"],
    [
      "an unknown place",
      { endpoint: ENDPOINT, locations: { a: "cookie" } },
      undefined,
      "/backend/settings/locations/a",
      "query",
    ],
    ["credentials", { endpoint: "http://u:hunter2@api.example/" }, undefined, "/backend/settings/endpoint", "header"],
    [
      "a placeholder without argument",
      { endpoint: `${ENDPOINT}/{id}` },
      ["name"],
      "/backend/settings/endpoint",
      "{id}",
    ],
    [
      "a path argument without placeholder",
      { endpoint: ENDPOINT, locations: { id: "path" } },
      ["id"],
      "/backend/settings/locations/id",
      "{id}",
    ],
    [
      "a location of no argument",
      { endpoint: ENDPOINT, locations: { nam: "query" } },
      ["name"],
      "/backend/settings",
      '"nam"',
    ],
    [
      "two arguments in one place",
      { endpoint: ENDPOINT, names: { a: "b" } },
      ["a", "b"],
      "/backend/settings/locations",
      "same place",
    ],
    [
      "an argument over a fixed query",
      { endpoint: `${ENDPOINT}?key=hunter2` },
      ["key"],
      "/backend/settings/locations",
      "query",
    ],
    [
      "body and whole body",
      { endpoint: ENDPOINT, method: "POST", body_argument: "b", locations: { a: "body" } },
      ["a", "b"],
      "/backend/settings/locations/a",
      '"b"',
    ],
    [
      "a HEAD with a body",
      { endpoint: ENDPOINT, method: "HEAD", locations: { a: "body" } },
      ["a"],
      "/backend/settings/locations/a",
      "HEAD",
    ],
    [
      "a broken fixed header",
      { endpoint: ENDPOINT, headers: { "X-A": "hunter2\n" } },
      undefined,
      "/backend/settings/headers/X-A",
      "line break",
    ],
    [
      "a header of the connection",
      { endpoint: ENDPOINT, headers: { "Content-Length": "1" } },
      undefined,
      "/backend/settings/headers/Content-Length",
      "connection",
    ],
    [
      "a header twice",
      { endpoint: ENDPOINT, headers: { "X-A": "1", "x-a": "2" } },
      undefined,
      "/backend/settings/headers/x-a",
      "twice",
    ],
    [
      "a header by both ways",
      { endpoint: ENDPOINT, headers: { a: "1" }, locations: { a: "header" } },
      ["a"],
      "/backend/settings/locations/a",
      "both",
    ],
    [
      "a body of unknown kind",
      { endpoint: ENDPOINT, method: "POST", content_type: "multipart/form-data" },
      ["a"],
      "/backend/settings/content_type",
      "body_argument",
    ],
    [
      "no media type",
      { endpoint: ENDPOINT, method: "POST", content_type: "json" },
      ["a"],
      "/backend/settings/content_type",
      "media type",
    ],
  ])("names %s and where it is", (_what, settings, args, path, words) => {
    const found = problems(settings, args);
    expect(found).toContainEqual({ path, message: expect.stringContaining(words) });
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  it.each([
    "Authorization",
    "Host",
    "Content-Length",
    "Connection",
    "Transfer-Encoding",
    "Cookie",
    "X-Forwarded-For",
    "Te",
  ])("schema-14 (samanhappy/mcphub#1057): %s is not for an argument to set", (header) => {
    const settings = { endpoint: ENDPOINT, locations: { a: "header" }, names: { a: header } };
    expect(problems(settings, ["a"])).toContainEqual(
      expect.objectContaining({ path: "/backend/settings/locations/a" }),
    );
  });

  it("lets the operator fix the credentials of a tool", () => {
    expect(problems({ endpoint: ENDPOINT, headers: { Authorization: "Bearer x", Host: "inner.example" } })).toEqual([]);
  });

  it("takes any schema and any settings without throwing", () => {
    const tool = httpTool({ endpoint: ENDPOINT });
    expect(backend.inspect({ ...tool, inputSchema: { text: "true", value: true } })).toEqual([]);
    expect(backend.inspect({ ...tool, inputSchema: aSchema({ type: "object", properties: 1 }) })).toEqual([]);
    const { backend: _none, ...bare } = tool;
    expect(backend.inspect(bare)).not.toEqual([]);
  });
});
