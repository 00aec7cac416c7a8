import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Execution, RefusalReason, RegisterStatus, ToolDefinitionSchema } from "@toolgate/contract";
import { DEFAULT_TIMEOUT_MS, type RefusalReason as Reason } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { definitionFromMessage, outcomeToMessage } from "./registration.ts";

const convert = (parts: Parameters<typeof create<typeof ToolDefinitionSchema>>[1]) =>
  definitionFromMessage(create(ToolDefinitionSchema, parts));

describe("definitionFromMessage", () => {
  it("takes over all that is said", () => {
    const inputSchema = '{ "type": "object" }';
    expect(
      convert({
        name: "n",
        title: "t",
        description: "d",
        owner: "o",
        contact: "c",
        capabilities: ["b", "a", "b"],
        tags: ["z", "y"],
        scopes: ["s"],
        inputSchema,
        outputSchema: "true",
        annotations: { readOnly: true, destructive: false },
        execution: Execution.CLIENT,
        timeout: durationFromMs(1_500),
        responseMapping: { a: "$.a" },
      }),
    ).toEqual({
      name: "n",
      title: "t",
      description: "d",
      owner: "o",
      contact: "c",
      capabilities: ["a", "b"],
      tags: ["y", "z"],
      scopes: ["s"],
      inputSchema: { text: inputSchema, value: { type: "object" } },
      outputSchema: { text: "true", value: true },
      annotations: { readOnly: true, destructive: false },
      execution: "client",
      timeoutMs: 1_500,
      response: { format: "auto", maxBytes: 4_194_304, mapping: { a: "$.a" } },
      enabled: true,
    });
  });

  it("takes the careful value for all that is not said", () => {
    const definition = convert({ name: "n" });
    expect(definition).toMatchObject({ annotations: {}, execution: "gateway", timeoutMs: DEFAULT_TIMEOUT_MS });
    for (const key of ["backend", "inputSchema", "outputSchema"]) expect(definition).not.toHaveProperty(key);
    expect(definition.response).not.toHaveProperty("mapping");
  });

  it("asks for a provider's tool by name, so that replicas ask the same; other tools have no check", () => {
    const provided = (check: boolean) => convert({ name: "n", backend: { case: "provider", value: { check } } });
    expect(provided(true).check).toEqual({ kind: "provider", settings: { tool: "n" } });
    expect(provided(false)).not.toHaveProperty("check");
    expect(convert({ name: "n" })).not.toHaveProperty("check");
  });

  it("keeps a schema whose text is no JSON, for the admission to refuse", () => {
    expect(convert({ name: "n", inputSchema: '{"type":' }).inputSchema).toEqual({ text: '{"type":', value: null });
  });

  it("names an http backend by its host, so that tools of one host share its pool", () => {
    const http = (endpoint: string, more = {}) =>
      convert({ name: "n", backend: { case: "http", value: { endpoint, ...more } } }).backend;
    expect(http("http://Weather.local:8080/v1/{city}")).toEqual({
      kind: "http",
      name: "weather.local:8080",
      settings: { endpoint: "http://Weather.local:8080/v1/{city}", method: "GET", locations: {}, headers: {} },
      confined: true,
    });
    expect(
      http("http://a", { method: "POST", parameterLocations: { x: "query" }, headers: { h: "v" } })?.settings,
    ).toEqual({
      endpoint: "http://a",
      method: "POST",
      locations: { x: "query" },
      headers: { h: "v" },
    });
    expect(http("no url")?.name).toBe("invalid");
  });

  it("reads the other backends", () => {
    expect(convert({ name: "n", backend: { case: "provider", value: {} } }).backend).toEqual({
      kind: "provider",
      name: "n",
      settings: {},
      confined: true,
    });
    const value = { target: "h:1", method: "a.B/C", tls: true };
    expect(convert({ name: "n", backend: { case: "grpc", value } }).backend).toMatchObject({
      kind: "grpc",
      name: "h:1",
      settings: value,
      confined: true,
    });
  });
});

describe("outcomeToMessage", () => {
  it.each([
    ["registered", RegisterStatus.REGISTERED],
    ["updated", RegisterStatus.UPDATED],
    ["unchanged", RegisterStatus.UNCHANGED],
  ] as const)("says %s", (status, expected) => {
    expect(outcomeToMessage({ tool: "t", status })).toMatchObject({
      tool: "t",
      status: expected,
      reason: RefusalReason.UNSPECIFIED,
      message: "",
    });
  });

  it.each([
    "NAME_TAKEN",
    "INVALID_SCHEMA",
    "AMBIGUOUS_NAME",
    "FORBIDDEN",
    "ADDRESS_NOT_ALLOWED",
    "TOO_LARGE",
  ] satisfies Reason[])("says that a tool was refused: %s, and why", (reason) => {
    expect(outcomeToMessage({ tool: "t", status: "refused", reason, message: "why" })).toMatchObject({
      tool: "t",
      status: RegisterStatus.REFUSED,
      reason: RefusalReason[reason],
      message: "why",
    });
  });
});
