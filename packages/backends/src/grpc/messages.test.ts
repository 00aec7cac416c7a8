import { create, toBinary } from "@bufbuild/protobuf";
import { type JsonObject, parseJson, type ToolgateError } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { errorOf, textOf } from "../../test/calling.ts";
import { type DemoMethods, grpcTool, messageOf, startDemo } from "../../test/grpc-tool.ts";
import { createGrpcBackend } from "./index.ts";

const backend = createGrpcBackend();
const servers: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => backend.close());

async function toolFor(methods: DemoMethods, settings: JsonObject = {}) {
  const server = await startDemo(methods);
  servers.push(server);
  return { server, tool: grpcTool(server.address, { method: "demo.v1.Demo/Types", ...settings }) };
}

/** What comes back of arguments that the service gives back as it got them. */
async function roundTrip(args: JsonObject, settings: JsonObject = {}) {
  const { tool } = await toolFor({ Types: (json) => ({ json }) }, settings);
  return parseJson((await textOf(backend, tool, args)).text);
}

describe("arguments and answers by the JSON mapping of Protocol Buffers", () => {
  it("keep their values, of every kind of field", async () => {
    const args = {
      cityName: "東京",
      days: 0,
      theId: "-9007199254740993",
      huge: "18446744073709551615",
      ratio: 1.5,
      open: true,
      raw: "aGk=",
      unit: "UNIT_METRIC",
      units: ["UNIT_IMPERIAL", "UNIT_UNSPECIFIED"],
      counts: { a: "1" },
      byNumber: { "7": { n: 1 } },
      list: [{ child: { child: {} } }, {}],
      inner: { n: 2 },
    };
    expect(await roundTrip(args)).toEqual(args);
  });

  it("keep their values, of the well-known types", async () => {
    const args = {
      at: "2026-01-31T12:00:00.123456789Z",
      takes: "1.500s",
      free: { a: [1, null, { b: "c" }] },
      anyJson: null,
      any: { "@type": "type.googleapis.com/demo.v1.Inner", n: 3 },
      maybe: "",
      maybeBig: "1917043659912705296",
      mask: "cityName,inner.n",
    };
    expect(await roundTrip(args)).toEqual(args);
  });

  it("take either name of a field, and give the JSON name", async () => {
    expect(await roundTrip({ city_name: "a", big_id: 1, by_number: {} })).toEqual({ cityName: "a", theId: "1" });
  });

  it("keep every digit of a 64-bit integer, as number or text, and give text (anthropics/claude-code#78762)", async () => {
    const args = { theId: 1917043659912705296n, huge: 18446744073709551615n, counts: { a: 9007199254740993n } };
    expect(await roundTrip(args)).toEqual({
      theId: "1917043659912705296",
      huge: "18446744073709551615",
      counts: { a: "9007199254740993" },
    });
    expect(await roundTrip({ theId: 42 })).toEqual({ theId: "42" });
  });

  it("leave out fields with their default value, unless the tool wants them", async () => {
    expect(await roundTrip({ cityName: "", ratio: 0 })).toEqual({});
    expect(await roundTrip({}, { emit_defaults: true })).toMatchObject({
      cityName: "",
      theId: "0",
      open: false,
      list: [],
    });
  });

  it("may be nothing at all", async () => {
    const { tool } = await toolFor({ Nothing: (json) => ({ json }) }, { method: "demo.v1.Demo/Nothing" });
    expect((await textOf(backend, tool)).text).toBe("{}");
  });

  it("know enum values by number too, also those that came later", async () => {
    expect(await roundTrip({ unit: 2 })).toEqual({ unit: "UNIT_IMPERIAL" });
    expect(await roundTrip({ unit: 77 })).toEqual({ unit: 77 });
  });
});

describe("arguments that do not fit the message", () => {
  const violationsOf = async (args: JsonObject) => {
    const { tool, server } = await toolFor({ Types: (json) => ({ json }) });
    const error = await errorOf(backend, tool, args);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(server.seen).toEqual([]);
    return { violations: error.details.violations ?? [], message: error.message };
  };

  it.each<[string, JsonObject, RegExp]>([
    ["/citi", { citi: "x" }, /one of the fields cityName, days/],
    ["/inner/m", { inner: { m: 1 } }, /one of the fields child, n/],
    ["/list/1/child/n", { list: [{}, { child: { n: "many" } }] }, /integer \(int32\)/],
    ["/byNumber/1/n", { byNumber: { "1": { n: 1.5 } } }, /integer \(int32\)/],
    ["/counts/a~1b", { counts: { "a/b": "x" } }, /integer \(int64\)/],
    ["", { byNumber: { x: {} } }, /JSON of a demo\.v1\.All/],
    ["/days", { days: 3_000_000_000 }, /int32/],
    ["/huge", { huge: -1 }, /uint64/],
    ["/theId", { theId: 2n ** 64n }, /int64/],
    ["/unit", { unit: "METRIC" }, /one of UNIT_UNSPECIFIED, UNIT_METRIC, UNIT_IMPERIAL/],
    ["/units/1", { units: ["UNIT_METRIC", null] }, /one of UNIT_/],
    ["/units", { units: "UNIT_METRIC" }, /an array/],
    ["/counts", { counts: [] }, /an object/],
    ["/inner", { inner: "x" }, /an object/],
    ["/raw", { raw: "%%" }, /base64/],
    ["/open", { open: "yes" }, /true or false/],
    ["/cityName", { cityName: 7 }, /text/],
    ["/at", { at: "yesterday" }, /a time such as/],
    ["/takes", { takes: "1h" }, /duration/],
    ["/maybe", { maybe: 1 }, /text/],
    ["/any", { any: { "@type": "type.googleapis.com/no.Such" } }, /of a type that the descriptors hold/],
    ["", { text: "a", inner: {} }, /JSON of a demo\.v1\.All/],
    ["", { city_name: "a", cityName: "b" }, /JSON of a demo\.v1\.All/],
    ["/free", { free: { big: 9007199254740993n } }, /within 2\^53/],
    ["/list/0/child", { list: [{ child: [] }] }, /an object/],
  ])("are refused with the place: %j (%#)", async (path, args, expected) => {
    const { violations, message } = await violationsOf(args);
    expect(violations).toEqual([{ path, expected: expect.stringMatching(expected), got: expect.any(String) }]);
    expect(message).toContain(path === "" ? "the arguments" : path);
  });

  it("are refused with every place, and the first few in the message", async () => {
    const args = { a: 1, b: 2, c: 3, days: "x", list: Array.from({ length: 100 }, () => ({ n: "x" })) };
    const { violations, message } = await violationsOf(args);
    expect(violations).toHaveLength(50);
    expect(violations.slice(0, 5).map(({ path }) => path)).toEqual(["/a", "/b", "/c", "/days", "/list/0/n"]);
    expect(message).toContain("and 47 more");
  });

  it("are refused when they are nested too deep", async () => {
    let args: JsonObject = {};
    for (let depth = 0; depth < 300; depth += 1) args = { child: args };
    expect((await violationsOf({ inner: args })).violations).toHaveLength(1);
  });
});

describe("an answer that cannot be used", () => {
  it("is invalid when it is another message", async () => {
    const { tool } = await toolFor({ Types: () => Buffer.from([0x0a, 0xff, 0xff]) });
    expect(await errorOf(backend, tool)).toMatchObject({
      code: "RESULT_INVALID",
      message: expect.stringContaining("no demo.v1.All"),
    });
  });

  it("is invalid when it holds a type that nobody knows, and says which", async () => {
    const any = { typeUrl: "type.googleapis.com/other.Thing", value: Buffer.from([8, 1]) };
    const all = messageOf("demo.v1.All");
    const bytes = toBinary(all, create(all, { any } as never));
    const { tool } = await toolFor({ Types: () => Buffer.from(bytes) });
    expect(await errorOf(backend, tool)).toMatchObject({
      code: "RESULT_INVALID",
      message: expect.stringContaining("other.Thing"),
    });
  });

  it("is invalid when it is no time that JSON has", async () => {
    const all = messageOf("demo.v1.All");
    const bytes = toBinary(all, create(all, { at: { seconds: 2n ** 60n, nanos: 0 } } as never));
    const { tool } = await toolFor({ Types: () => Buffer.from(bytes) });
    expect((await errorOf(backend, tool)).code).toBe("RESULT_INVALID");
  });

  it("is refused beyond the tool's bound, also beyond the channel's limit", async () => {
    const sized = async (bytes: number, maxBytes: number) => {
      const { tool } = await toolFor({ Types: () => ({ json: { cityName: "x".repeat(bytes) } }) });
      const bounded = { ...tool, response: { format: "auto" as const, maxBytes } };
      return backend.invoke(anInvocation(bounded)).catch((error: ToolgateError) => error);
    };
    expect(await sized(1_000, 1_003)).toMatchObject({ kind: "text" });
    expect(await sized(1_001, 1_003)).toMatchObject({ code: "RESULT_TOO_LARGE" });
    expect(await sized(6_000_000, 1_000)).toMatchObject({ code: "RESULT_TOO_LARGE" });
    expect(await sized(6_000_000, 8_000_000)).toMatchObject({ kind: "text" });
  });
});
