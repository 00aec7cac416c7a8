import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { startGateway } from "../compose/gateway.ts";
import { DEFAULT_CONFIG, type GatewayConfig } from "../config/config.ts";

export interface GatewayFixture {
  /** Of the gRPC door. */
  readonly address: string;
  readonly httpAddress: string;
  /** Folder of tool files. */
  readonly toolsDir: string;
  /** Resolves when the slow tool is being called. */
  readonly slowCall: Promise<void>;
  stop(): Promise<void>;
}

const tool = (name: string, url: string, rest = "") => `
name: ${name}
type: http
description: The ${name} of the tests.
endpoint: ${url}/${name}
method: POST
${rest}`;

const ECHO_SCHEMA = `
owner: a team
contact: team@example.com
input_schema:
  type: object
  properties:
    text: { type: string }
    limit: { type: integer }
    tags: { type: array, items: { type: string } }
    expr: { type: string }
  additionalProperties: false
`;

/** A whole gateway on free ports, with a backend of its own: `echo` gives back its arguments, `broken` fails, `slow` never ends. */
export async function startFixture(parts: Partial<GatewayConfig> = {}): Promise<GatewayFixture> {
  const slowCall = Promise.withResolvers<void>();
  const backend = createServer(async (request, response) => {
    if (request.url === "/slow") return slowCall.resolve();
    response.statusCode = request.url === "/broken" ? 400 : 200;
    response.setHeader("content-type", "application/json");
    response.end(request.url === "/broken" ? '{"message":"Invalid zone"}' : await bodyOf(request));
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const toolsDir = mkdtempSync(join(tmpdir(), "toolgate-cli-"));
  mkdirSync(join(toolsDir, "web"));
  writeFileSync(join(toolsDir, "web", "echo.yaml"), tool("echo", url, ECHO_SCHEMA));
  writeFileSync(join(toolsDir, "broken.yaml"), tool("broken", url));
  writeFileSync(join(toolsDir, "slow.yaml"), tool("slow", url));
  writeFileSync(join(toolsDir, "off.yaml"), tool("off", url, "enabled: false"));
  const nowhere = { host: "127.0.0.1", port: 0 };
  const listen = { grpc: nowhere, http: nowhere, admin: nowhere };
  const gateway = await startGateway(
    { ...DEFAULT_CONFIG, listen, toolsDir, drainMs: 100, ...parts },
    pino({ enabled: false }),
  );
  return {
    address: `127.0.0.1:${gateway.doors.grpc.port}`,
    httpAddress: `127.0.0.1:${gateway.doors.http.port}`,
    toolsDir,
    slowCall: slowCall.promise,
    async stop() {
      await gateway.stop();
      backend.closeAllConnections();
      backend.close();
      rmSync(toolsDir, { recursive: true });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
