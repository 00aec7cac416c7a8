import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG, type GatewayConfig } from "./config.ts";
import { refuseUnsafe } from "./refuse-unsafe.ts";

const client = { id: "ann", keyHashes: ["0".repeat(64)], admin: false };

function listening(grpc: string, http: string, parts: Partial<GatewayConfig> = {}): GatewayConfig {
  const listen = { ...DEFAULT_CONFIG.listen, grpc: { host: grpc, port: 1 }, http: { host: http, port: 2 } };
  return { ...DEFAULT_CONFIG, listen, ...parts };
}

describe("refuseUnsafe", () => {
  it("starts as it comes", () => {
    expect(refuseUnsafe(DEFAULT_CONFIG)).toBeUndefined();
  });

  it.each(["127.0.0.1", "127.0.0.2", "localhost", "::1"])("starts on %s without keys", (host) => {
    expect(refuseUnsafe(listening(host, host))).toBeUndefined();
  });

  it.each(["0.0.0.0", "::", "10.0.0.5", "gateway.example", "localhost.example", ""])(
    "does not start on %j without keys, and does with one",
    (host) => {
      for (const config of [listening(host, "127.0.0.1"), listening("127.0.0.1", host)]) {
        expect(refuseUnsafe(config)).toContain("no API key is configured");
        expect(refuseUnsafe({ ...config, clients: [client] })).toBeUndefined();
      }
    },
  );

  it("names every door that is open, and what to do", () => {
    const message = refuseUnsafe(listening("0.0.0.0", "::"));
    expect(message).toContain("listen.grpc is 0.0.0.0:1 and listen.http is :::2");
    expect(message).toContain("listen on 127.0.0.1");
    expect(message).toContain('"clients"');
  });
});
