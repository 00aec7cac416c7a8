import { describe, expect, it } from "vitest";
import { startGateway } from "../test/scripted-gateway.ts";
import { serving } from "../test/serving.ts";
import { serve } from "./index.ts";

describe("options that cannot be used", () => {
  const good = { gateway: "127.0.0.1:1", toolset: "t", tools: [] };
  it.each([
    [{ gateway: "ftp://x" }, /scheme "ftp" is not known/],
    [{ gateway: "http://user:pw@x" }, /^(?!.*pw).*apiKey/],
    [{ gateway: "a b" }, /must be "HOST:PORT"/],
    [{ gateway: "h:70000" }, /must be "HOST:PORT"/],
    [{ toolset: "" }, /toolset/],
    [{ listen: "nowhere" }, /listen must be "HOST:PORT"/],
    [{ listen: "0.0.0.0:0" }, /advertise/],
    [{ advertise: "x" }, /advertise must be/],
    [{ leaseMs: 4_999 }, /leaseMs must be 5000 to 3600000, not 4999/],
    [{ leaseMs: Number.NaN }, /leaseMs/],
    [{ maxConcurrent: 0 }, /maxConcurrent/],
    [{ apiKey: "a b" }, /^(?!.*a b).*apiKey/],
    [{ apiKey: "k", leaseSecret: "a-secret-of-16-and-more" }, /exclude each other/],
    [{ leaseSecret: "short" }, /^(?!.*"?short"?).*16 to 256/],
    [{ instanceId: "" }, /instanceId/],
    [{ tools: [{}] as never }, /defineTool/],
  ])("%o", async (options, words) => {
    await expect(serve({ ...good, ...options })).rejects.toThrow(words);
  });

  it("a port that is taken is told in words", async () => {
    const gateway = await startGateway();
    const taken = { gateway: gateway.address, listen: gateway.address };
    await expect(serving(taken)).rejects.toThrow(/Cannot listen on 127\.0\.0\.1:\d+/);
    expect(gateway.registers).toHaveLength(0);
  });
});
