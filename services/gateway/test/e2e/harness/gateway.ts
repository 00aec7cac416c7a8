import { join } from "node:path";
import { createClient, type ToolgateClient } from "@toolgate/client";
import type { Clock } from "@toolgate/core";
import { onTestFinished } from "vitest";
import { type RunningGateway, startGateway } from "../../../src/compose/gateway.ts";
import type { GatewayConfig } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { type GatewayFiles, gatewayFolder } from "./folder.ts";

export interface TestGateway {
  readonly client: ToolgateClient;
  /** "host:port" of the gRPC door. */
  readonly grpc: string;
  /** Base URLs, without a slash at the end. */
  readonly http: string;
  readonly admin: string;
  /** Holds gateway.yaml and tools/. */
  readonly folder: string;
  readonly running: RunningGateway;
  /** Everything that was logged, as JSON lines. */
  readonly logged: () => string;
  stop(): Promise<void>;
}

export interface TestGatewayOptions extends GatewayFiles {
  readonly apiKey?: string;
  /** The real one where unset. */
  readonly clock?: Clock;
}

/** A whole gateway in this process, on free ports, read from a real configuration; stopped when the test ends. */
export async function testGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const folder = gatewayFolder(options);
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const running = await startGateway(configOf(join(folder, "gateway.yaml")), log, options.clock);
  onTestFinished(() => running.stop());
  await running.settled();
  const { grpc, http, admin } = running.doors;
  const address = `${grpc.host}:${grpc.port}`;
  const client = createClient({ address, ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }) });
  onTestFinished(() => client.close());
  return {
    client,
    grpc: address,
    http: `http://${http.host}:${http.port}`,
    admin: `http://${admin.host}:${admin.port}`,
    folder,
    running,
    logged: () => lines.join(""),
    stop: () => running.stop(),
  };
}

function configOf(file: string): GatewayConfig {
  const loaded = loadConfig(file, {});
  if (!loaded.ok) throw new Error(loaded.problems.join("\n"));
  return loaded.config;
}

/** POSTs to /v1/call, and reads the envelope. */
export async function callHttp(gateway: Pick<TestGateway, "http">, body: unknown, init: RequestInit = {}) {
  const response = await fetch(`${gateway.http}/v1/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, envelope: JSON.parse(text) };
}
