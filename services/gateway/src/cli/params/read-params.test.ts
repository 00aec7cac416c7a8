import { describe, expect, it } from "vitest";
import { UsageError } from "../exit-codes.ts";
import { readPairs } from "./pairs.ts";
import { readParams } from "./read-params.ts";

const SCHEMA = {
  type: "object",
  properties: { limit: { type: "integer" }, opt: { type: "string" }, price: { type: "number" } },
  additionalProperties: false,
};

const read = (texts: string[], schema: Parameters<typeof readParams>[1] = SCHEMA) =>
  readParams(readPairs(texts), schema);

describe("readParams", () => {
  it("reads each value by the schema", async () => {
    expect(await read(["limit=5", "opt=000123", "price=5.20"])).toEqual({ limit: 5, opt: "000123", price: 5.2 });
  });

  it("takes empty text where text is asked for, and refuses it for an integer (cli-05, wong2/mcp-cli#1)", async () => {
    expect(await read(["opt="])).toEqual({ opt: "" });
    await expect(read(["limit="])).rejects.toThrow("--param limit: Expected an integer, not empty text.");
    expect(await read(["limit=1"])).not.toHaveProperty("opt");
  });

  it("refuses a name that the schema excludes (cli-03, openclaw/mcporter#100, #150)", async () => {
    await expect(read(["price:=5.20"])).rejects.toThrow('no parameter "price:". Did you mean "price"?');
    await expect(read(["nothing=1"])).rejects.toThrow("It takes: limit, opt, price.");
  });

  it("passes an unknown name on as text where the schema does not exclude it", async () => {
    expect(await read(["other=5"], { type: "object", properties: { limit: { type: "integer" } } })).toEqual({
      other: "5",
    });
    expect(await read(["other=5"], true)).toEqual({ other: "5" });
  });

  it("tells every problem at once", async () => {
    const error = await read(["limit=x", "nothing=1"]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message.split("\n")).toHaveLength(2);
  });

  it("makes an own key of __proto__", async () => {
    const args = await read(["__proto__=1"], true);
    expect(Object.hasOwn(args, "__proto__")).toBe(true);
  });
});
