/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this */
import { readFileSync } from "node:fs";
import { ToolgateError } from "@toolgate/core";
import { formatProblem } from "@toolgate/documents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseToolFile, type ToolFileContext } from "./parse-tool-file.ts";
import type { ToolKind } from "./tool-kind.ts";

const http: ToolKind = {
  kind: "http",
  shape: {
    endpoint: z.string(),
    method: z.enum(["GET", "POST"]).default("GET"),
    headers: z.record(z.string(), z.string()).optional(),
  },
  toBackend: (keys, { locations, names }) => {
    if (keys.endpoint === "cursed") throw new Error("s3cret");
    if (keys.endpoint === "bad") throw new ToolgateError("INVALID_ARGUMENT", "no host");
    return { kind: "http", name: "host", settings: { ...keys, locations, names } as never };
  },
};
const builtin: ToolKind = {
  kind: "builtin",
  shape: { index: z.string().optional() },
  toBackend: (keys) => ({ kind: "builtin", name: String(keys.type), settings: keys as never }),
};
const KINDS = [http, builtin];
const SOURCES = {
  env: { PARCELS_KEY: "s3cret" },
  readFile: (path: string) => `content of ${path}\n`,
};

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

function toolsOf(text: string, context: ToolFileContext = {}) {
  const result = parseToolFile(text, "f.yaml", KINDS, context);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.tools;
}

function problemsOf(text: string, context: ToolFileContext = {}): readonly string[] {
  const result = parseToolFile(text, "f.yaml", KINDS, context);
  return result.ok ? [] : result.problems.map(formatProblem);
}

const BASE = "name: a\ntype: http\nendpoint: http://b/\n";

describe("parseToolFile, the samples of the article", () => {
  it("loads weather_tool.yaml as it stands", () => {
    const [tool, ...more] = toolsOf(fixture("weather_tool.yaml"));
    expect(more).toEqual([]);
    expect(tool).toEqual({
      toolset: "default",
      line: 1,
      definition: {
        name: "weather_query",
        title: "",
        description: "查询指定城市的天气信息",
        capabilities: [],
        tags: [],
        owner: "",
        contact: "",
        inputSchema: {
          text: '{"type":"object","properties":{"city":{"type":"string","description":"城市名称"}},"required":["city"],"additionalProperties":false}',
          value: {
            type: "object",
            properties: { city: { type: "string", description: "城市名称" } },
            required: ["city"],
            additionalProperties: false,
          },
        },
        annotations: {},
        execution: "gateway",
        backend: {
          kind: "http",
          name: "host",
          settings: { endpoint: "http://localhost:8080/weather", method: "GET", locations: {}, names: {} },
        },
        timeoutMs: 5_000,
        response: {
          format: "json",
          maxBytes: 4_194_304,
          mapping: { temperature: "$.data.temp", condition: "$.data.weather", humidity: "$.data.humidity" },
        },
        retry: {
          maxAttempts: 3,
          backoff: "exponential",
          initialIntervalMs: 100,
          maxIntervalMs: 2_000,
          retryableErrors: [],
        },
        limits: { rate: { calls: 30, perMs: 60_000 } },
        scopes: [],
        enabled: true,
      },
    });
  });

  it("loads the list of tools as it stands, with the type of a builtin", () => {
    const [tool] = toolsOf(fixture("tools_list.yaml"));
    expect(tool).toMatchObject({
      line: 2,
      definition: {
        name: "web_search",
        backend: { kind: "builtin", name: "search", settings: { type: "search" } },
        limits: { rate: { calls: 10, perMs: 60_000 } },
      },
    });
    expect(tool?.definition.inputSchema?.text).toBe(
      '{"type":"object","properties":{"query":{"type":"string"},"max_results":{"type":"integer","default":5}},"required":["query"],"additionalProperties":false}',
    );
  });
});

describe("parseToolFile", () => {
  it("reads every key", () => {
    const [tool] = toolsOf(fixture("everything.yaml"), { references: SOURCES });
    expect(tool?.toolset).toBe("parcels");
    expect(tool?.definition).toMatchObject({
      title: "Parcel status",
      capabilities: ["search", "tracking"],
      annotations: { readOnly: true, idempotent: true, destructive: false, openWorld: true },
      timeoutMs: 1_500,
      retry: { backoff: "fixed", retryableErrors: ["timeout", "connection_error", "503", "429"] },
      limits: {
        maxConcurrent: 20,
        maxQps: 100,
        rate: { calls: 5, perMs: 1_000 },
        burst: 2,
        queue: { maxLength: 10, maxWaitMs: 1_000 },
        shadow: true,
      },
      cacheTtlMs: 300_000,
      batch: {
        ...{ param: "carriers", maxItems: 20, windowMs: 10 },
        ...{ results: "/events", key: "carrier", error: "fault" },
      },
      response: { maxBytes: 65_536 },
      outputSchema: { text: '{"type": "object", "required": ["place"]}' },
      check: { kind: "http", settings: { url: "https://parcels.example/health" } },
      scopes: ["parcels.read"],
      backend: {
        settings: {
          headers: { authorization: "Bearer s3cret", "x-client": "content of client-name" },
          locations: { id: "path", language: "query" },
          names: { language: "lang" },
        },
      },
    });
    expect(tool?.definition.inputSchema?.value).toMatchObject({
      properties: {
        id: { type: "string", pattern: "^[A-Z0-9]{8}$" },
        language: { enum: ["en", "de", "zh"], default: "en" },
        depth: { type: ["integer", "null"], minimum: 1 },
        carriers: { type: "array", items: { type: "string" } },
      },
      required: ["id"],
    });
  });

  it("keeps references where it is only to check", () => {
    const [tool] = toolsOf(fixture("everything.yaml"));
    expect(tool?.definition.backend?.settings.headers).toMatchObject({ authorization: "Bearer ${PARCELS_KEY}" });
  });

  it("places a reference to a variable that is not set", () => {
    const problems = problemsOf(fixture("everything.yaml"), { references: { ...SOURCES, env: {} } });
    expect(problems).toEqual(["f.yaml:14:18: The environment variable PARCELS_KEY is not set."]);
  });

  it("keeps the text of a schema that is given as text, and the order of one that is given as a map", () => {
    const text = '{ "type":"object",\\"x\\":1 }'.replaceAll("\\", "");
    const [first] = toolsOf(`${BASE}input_schema: '${text}'\n`);
    expect(first?.definition.inputSchema).toEqual({ text, value: { type: "object", x: 1 } });
    const [second] = toolsOf(
      `${BASE}input_schema: {type: object, minProperties: 1, $schema: "x", a: 90071992547409931}\n`,
    );
    const written = '{"type":"object","minProperties":1,"$schema":"x","a":90071992547409931}';
    expect(second?.definition.inputSchema?.text).toBe(written);
  });

  it("takes the toolset of the tool, else that of the folder", () => {
    expect(toolsOf(BASE, { toolset: "web" })[0]?.toolset).toBe("web");
    expect(toolsOf(`${BASE}toolset: mine\n`, { toolset: "a folder" })[0]?.toolset).toBe("mine");
    expect(problemsOf(BASE, { toolset: "a folder" })).toEqual([
      'f.yaml:1:1: The name of the folder, "a folder", cannot be that of a toolset. Rename the folder, or write "toolset: NAME".',
    ]);
  });

  it("reads a tool that the client runs", () => {
    const [tool] = toolsOf("name: memory\nexecution: client\nparams: []\n");
    expect(tool?.definition).toMatchObject({ execution: "client", inputSchema: { value: { properties: {} } } });
    expect(tool?.definition.backend).toBeUndefined();
    expect(problemsOf(`${BASE}execution: client\n`)).toEqual([
      'f.yaml:2:7: A tool that the client runs (execution: client) has no backend: leave out "type".',
    ]);
  });

  it("reads a list, and tells the problems of all its tools at once", () => {
    const list = `tools:\n  - {name: a, type: http, endpoint: b}\n  - {name: c, type: http}\n  - 5\n  - {nam: d, type: http, endpoint: b}\n`;
    expect(problemsOf(list)).toEqual([
      'f.yaml:3:5: The key "endpoint" is missing: expected text.',
      'f.yaml:4:5: Item 3 of "tools" must be a map, not a whole number.',
      'f.yaml:5:5: The key "name" is missing: expected text.',
      'f.yaml:5:6: Unknown key "nam". Did you mean "name"?',
    ]);
  });
});

describe("parseToolFile, problems", () => {
  it.each([
    ["descripton: x", 'f.yaml:4:1: Unknown key "descripton". Did you mean "description"?'],
    ["endpont: x", 'f.yaml:4:1: Unknown key "endpont". Did you mean "endpoint"?'],
    ["index: x", 'f.yaml:4:1: Unknown key "index".'],
    ["timeout: 2h", 'f.yaml:4:10: Expected at most 1h, not "2h".'],
    ["rate_limit: 10/minn", /^f\.yaml:4:13: Expected a rate such as/],
    ["retry: {max_attempts: 100}", 'f.yaml:4:23: "max_attempts" must be at most 10.'],
    ["retry: {retryable_errors: [time_out]}", /^f\.yaml:4:28: Expected "timeout", "connection_error"/],
    ["retry: {initial_interval: 3s, max_interval: 2s}", /^f\.yaml:4:45: "max_interval" must not be less/],
    ["rate_limit: 1/s\nlimits: {rate: 1/s}", /^f\.yaml:5:16: "rate_limit" and "limits: rate" say the same/],
    ["limits: {burst: 2}", /^f\.yaml:4:17: "burst" says how many calls a "rate" or "max_qps" lets come at once/],
    ["limits: {queue: {max_length: 1}}", /^f\.yaml:4:17: "queue" is where calls wait for "max_concurrent"/],
    ["params: []\ninput_schema: {}", /^f\.yaml:5:15: "params" and "input_schema" say the same/],
    ["input_schema: '{'", /^f\.yaml:4:15: Expected a JSON Schema/],
    ["output_schema: '5'", /^f\.yaml:4:16: Expected a JSON Schema/],
    ["input_schema: 5", /^f\.yaml:4:15: "input_schema" must be a map or true or false or text\./],
    ["check: {}", /^f\.yaml:4:8: A check has exactly one of/],
    ["check: {env: A, tcp: 'a:1'}", /^f\.yaml:4:8: A check has exactly one of/],
    ["check: {http: localhost}", /^f\.yaml:4:15: Expected an http or https URL/],
    ["check: {htp: x}", 'f.yaml:4:9: Unknown key "htp". Did you mean "http"?'],
    ["scopes: [a b]", /^f\.yaml:4:10: A name has 1 to 128/],
    ["params: 5", 'f.yaml:4:9: "params" must be a list, not a whole number.'],
    ["params: [{name: a}, {name: a}]", 'f.yaml:4:28: The parameter "a" occurs twice.'],
    ["params: [{name: __proto__}]", 'f.yaml:4:17: The parameter "__proto__" is not allowed.'],
    ["params: [{name: a, typ: string}]", 'f.yaml:4:20: Unknown key "typ". Did you mean "type"?'],
    ["params: [{name: a, max_length: 5}]", 'f.yaml:4:20: Unknown key "max_length". Did you mean "maxLength"?'],
    ["params: [{name: a, type: strin}]", /^f\.yaml:4:26: "type" must be "string", .*Did you mean "string"\?$/],
    [
      "params: [{name: a, type: integer, default: '5'}]",
      /^f\.yaml:4:44: The default must be of the type "integer", not string\.$/,
    ],
    ["params: [{name: a, in: body, wire_name: ''}]", 'f.yaml:4:41: "wire_name" must not be empty.'],
    ["type: grpc", 'f.yaml:4:1: The key "type" occurs twice. Every key may occur only once in a map.'],
  ])("%s", (lines, expected) => {
    const problems = problemsOf(`${BASE}${lines}\n`);
    expect(problems).toEqual([typeof expected === "string" ? expected : expect.stringMatching(expected)]);
  });

  it.each([
    ["name: a\ntype: htp\n", 'f.yaml:2:7: "type" must be "builtin" or "http", not "htp". Did you mean "http"?'],
    ["name: a\ntype: 5\n", 'f.yaml:2:7: "type" must be "builtin" or "http", as text.'],
    ["name: a\n", 'f.yaml:1:1: The key "type" is missing: expected "builtin" or "http".'],
    ["name: a\ntype: x\nprovider: bultin\n", /^f\.yaml:3:11: "provider" must be .*Did you mean "builtin"\?$/],
    ["tools: []\n", 'f.yaml:1:8: "tools" must not be empty.'],
    ["tools: {}\n", 'f.yaml:1:8: "tools" must be a list, not a map.'],
    ["tools: [{name: a}]\nowner: x\n", 'f.yaml:2:1: Unknown key "owner".'],
    ["- name: a\n", "f.yaml:1:1: The document must be a map, not a list."],
    ["name: a\ntype: http\nendpoint: bad\n", 'f.yaml:1:1: The keys of this "http" tool cannot be used: no host'],
  ])("%j", (text, expected) => {
    expect(problemsOf(text)).toEqual([typeof expected === "string" ? expected : expect.stringMatching(expected)]);
  });

  it("names the first of two tools of one name", () => {
    const list = "tools:\n  - {name: a, type: http, endpoint: b}\n  - {name: a, type: http, endpoint: b}\n";
    expect(problemsOf(list)).toEqual(['f.yaml:3:12: The name "a" is already that of the tool in line 2.']);
  });

  it("passes on no words of an error that may hold secrets", () => {
    const [problem] = problemsOf("name: a\ntype: http\nendpoint: cursed\n");
    expect(problem).toMatch(/cannot be used/);
    expect(problem).not.toContain("s3cret");
  });
});
