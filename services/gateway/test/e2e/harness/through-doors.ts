import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { createClient, type ToolgateClient } from "@toolgate/client";
import { onTestFinished } from "vitest";
import { callHttp, type TestGateway } from "./gateway.ts";

/** What a caller is answered, in the same words whichever door it came through. */
export interface DoorView {
  readonly door: string;
  /** "success", or the error's code: of the envelope, or of the request that never became a call. */
  call(tool: string): Promise<{ readonly outcome: string; readonly message: string }>;
  /** Names of the tools listed, and why there are none. */
  list(): Promise<{ readonly names: readonly string[]; readonly emptyReason: string }>;
}

/** The same caller through gRPC, HTTP/JSON, Connect and gRPC-Web. */
export function throughEachDoor(gateway: Pick<TestGateway, "grpc" | "http">, apiKey?: string): readonly DoorView[] {
  const http = { baseUrl: gateway.http, httpVersion: "1.1" } as const;
  const transports = {
    gRPC: createGrpcTransport({ baseUrl: `http://${gateway.grpc}` }),
    Connect: createConnectTransport({ ...http, useBinaryFormat: false }),
    "gRPC-Web": createGrpcWebTransport(http),
  };
  const clients = Object.entries(transports).map(([door, transport]) => {
    const client = createClient({ transport, ...(apiKey === undefined ? {} : { apiKey }) });
    onTestFinished(() => client.close());
    return overClient(door, client);
  });
  return [...clients, overHttp(gateway, apiKey)];
}

function overClient(door: string, client: ToolgateClient): DoorView {
  return {
    door,
    async call(tool) {
      try {
        const result = await client.call(tool);
        if (result.status !== "error") return { outcome: result.status, message: "" };
        return { outcome: result.error.code, message: result.error.message };
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return { outcome: code, message };
      }
    },
    async list() {
      const { tools, emptyReason } = await client.listTools();
      return { names: tools.map(({ name }) => name), emptyReason };
    },
  };
}

function overHttp(gateway: Pick<TestGateway, "http">, apiKey: string | undefined): DoorView {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    door: "HTTP/JSON",
    async call(tool) {
      const json = { "content-type": "application/json" };
      const { envelope } = await callHttp(gateway, { tool }, { headers: { ...json, ...headers } });
      if (envelope.status !== "error") return { outcome: envelope.status, message: "" };
      return { outcome: envelope.error.code, message: envelope.error.message };
    },
    async list() {
      const response = await fetch(`${gateway.http}/v1/tools`, { headers });
      const { tools, empty_reason } = (await response.json()) as { tools: { name: string }[]; empty_reason: string };
      return { names: tools.map(({ name }) => name), emptyReason: empty_reason };
    },
  };
}
