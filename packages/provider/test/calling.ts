import { create, type DescMethodUnary, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import {
  type CallOptions,
  Client,
  credentials,
  type Metadata,
  Metadata as NewMetadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { type InvokeRequestSchema, type InvokeResponse, ToolProviderService } from "@toolgate/contract";
import { onTestFinished } from "vitest";
import { unaryDefinition } from "../src/codec.ts";

export interface Calling<O> {
  /** Rejects with the status error. */
  readonly response: Promise<O>;
  cancel(): void;
}

export interface Caller {
  send<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    options?: CallOptions & { readonly metadata?: Metadata },
  ): Calling<MessageShape<M["output"]>>;
  /** Runs a tool as the gateway does, with the arguments as JSON text. */
  invoke(
    tool: string,
    args: string,
    init?: Partial<Exclude<MessageInitShape<typeof InvokeRequestSchema>, { $typeName: string }>>,
  ): Promise<InvokeResponse>;
}

/** The gateway's side of a provider: one connection to it. */
export function callerOf({ address }: { readonly address: string }): Caller {
  const client = new Client(address, credentials.createInsecure(), { "grpc.enable_channelz": 0 });
  onTestFinished(() => client.close());
  const send: Caller["send"] = (method, request, { metadata = new NewMetadata(), ...options } = {}) => {
    const { path, requestSerialize, responseDeserialize } = unaryDefinition(method);
    type Output = MessageShape<(typeof method)["output"]>;
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    // A test that is over does not look at every call it made.
    promise.catch(() => {});
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      create(method.input, request) as MessageShape<(typeof method)["input"]>,
      metadata,
      options,
      (error: ServiceError | null, response?: unknown) =>
        error === null ? resolve(response as Output) : reject(error),
    );
    return { response: promise, cancel: () => call.cancel() };
  };
  return {
    send,
    invoke: (tool, args, init = {}) =>
      send(ToolProviderService.method.invoke, {
        tool,
        callId: "c-1",
        ...init,
        input: { case: "argumentsJson", value: args },
      }).response,
  };
}

/** The result's text, or the failure in words: what a test compares. */
export function endingOf({ outcome }: InvokeResponse): string {
  switch (outcome.case) {
    case "dataJson":
      return outcome.value;
    case "failure":
      return `${outcome.value.code}: ${outcome.value.message}`;
    default:
      return `unexpected ${outcome.case}`;
  }
}
