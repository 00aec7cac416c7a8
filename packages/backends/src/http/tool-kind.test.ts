import { describe, expect, it } from "vitest";
import { z } from "zod";
import { httpToolKind } from "./index.ts";

const NOTHING = { toolName: "weather_query", locations: {}, names: {} };

function toBackend(keys: Record<string, unknown>, context = NOTHING) {
  return httpToolKind.toBackend(z.strictObject(httpToolKind.shape).parse(keys), context);
}

describe("an http tool in a tool file", () => {
  it("names its backend by the endpoint's host", () => {
    const spec = toBackend({ endpoint: "http://localhost:8080/weather", method: "GET" });
    expect(spec).toEqual({
      kind: "http",
      name: "localhost:8080",
      settings: { endpoint: "http://localhost:8080/weather", method: "GET", headers: {} },
    });
  });

  it("takes the name that is given", () => {
    expect(toBackend({ endpoint: "http://localhost:8080/", backend: "weather" })).toMatchObject({ name: "weather" });
  });

  it("hands on where the arguments go", () => {
    const context = { toolName: "t", locations: { id: "path" }, names: { id: "userId" } };
    expect(toBackend({ endpoint: "http://h.example/{userId}" }, context).settings).toMatchObject({
      locations: { id: "path" },
      names: { id: "userId" },
    });
  });

  it("leaves an endpoint that cannot be used to the backend's inspection", () => {
    expect(toBackend({ endpoint: "weather" })).toMatchObject({ name: "unknown" });
  });

  it("has keys that an editor can be told of", () => {
    const schema = z.toJSONSchema(z.strictObject(httpToolKind.shape), { io: "input" });
    expect(schema).toMatchObject({ required: ["endpoint"], properties: { method: { default: "GET" } } });
  });
});
