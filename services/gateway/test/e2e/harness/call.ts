import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client, Metadata } from "@grpc/grpc-js";
import { CallRequestSchema, type Envelope, ToolGatewayService } from "@toolgate/contract";
import { type UnaryResult, unary } from "./grpc-client.ts";

/** A Call through a bare client. Resolves with the envelope; rejects with the status error where there is none. */
export async function callGrpc(
  client: Client,
  request: MessageInitShape<typeof CallRequestSchema>,
  init: { metadata?: Metadata; options?: CallOptions } = {},
): Promise<Envelope> {
  const { error, response } = await startCall(client, request, init).result;
  if (error !== null) throw error;
  if (response?.envelope === undefined) throw new Error("a response without an envelope");
  return response.envelope;
}

/** A Call that can be cancelled. */
export function startCall(
  client: Client,
  request: MessageInitShape<typeof CallRequestSchema>,
  init: { metadata?: Metadata; options?: CallOptions } = {},
): { readonly result: Promise<UnaryResult<typeof ToolGatewayService.method.call>>; cancel(): void } {
  return unary(client, ToolGatewayService.method.call, create(CallRequestSchema, request), init);
}

/** Arguments as JSON text. */
export function asText(tool: string, args: unknown = {}): MessageInitShape<typeof CallRequestSchema> {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { target: { case: "tool", value: tool }, input: { case: "argumentsJson", value: text } };
}
