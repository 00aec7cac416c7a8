import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import {
  type CallRequest,
  CallResponseSchema,
  type Envelope,
  type EnvelopeSchema,
  type ToolError,
  ToolGatewayService,
} from "@toolgate/contract";
import { type ClientOptions, createClient, type ToolgateClient } from "./index.ts";

export type EnvelopeInit = Exclude<MessageInitShape<typeof EnvelopeSchema>, Envelope>;

type ErrorInit = Exclude<EnvelopeInit["error"], ToolError | undefined>;

export type Answer = (request: CallRequest, context: HandlerContext) => EnvelopeInit | Promise<EnvelopeInit>;

/** A client of a gateway in memory, whose answers to calls the test makes; `tool` is the one that was asked for. */
export function clientOf(answer: Answer, options: ClientOptions = {}): ToolgateClient {
  const transport = createRouterTransport(({ service }) => {
    service(ToolGatewayService, {
      call: async (request, context) => {
        const envelope = { tool: request.target.value ?? "", meta: { callId: request.callId } };
        return create(CallResponseSchema, { envelope: { ...envelope, ...(await answer(request, context)) } });
      },
    });
  });
  return createClient({ ...options, transport });
}

export function success(dataJson: string): EnvelopeInit {
  return { status: "success", payload: { case: "dataJson", value: dataJson } };
}

export function delegated(argsJson: string): EnvelopeInit {
  return { status: "delegated", payload: { case: "dataJson", value: argsJson } };
}

export function failed(code: string, more: ErrorInit = {}): EnvelopeInit {
  return { status: "error", error: { code, class: "tool", message: `It is ${code}.`, ...more } };
}

/** The arguments as they came. */
export function argsText({ input }: CallRequest): string {
  return input.case === "argumentsJson" ? input.value : "";
}
