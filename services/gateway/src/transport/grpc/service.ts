import {
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  status as grpcStatus,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type StatusObject,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type CallResponse, CallResponseSchema } from "@toolgate/contract";
import type { DoorPorts } from "../door.ts";
import { DOOR_ERRORS, DoorError } from "../door-error.ts";
import type { RequestContext } from "../handlers/context.ts";
import { type AnyServerCall, type Entered, enter } from "./context.ts";
import { encodeCallResponse } from "./encode-call-response.ts";

/** Hears of the calls of one method, for the usual grpc_server_* metrics. */
export interface RpcObserver {
  started(): void;
  /** `code` is a gRPC status code; 0 is OK. */
  handled(code: number, seconds: number): void;
  received(): void;
  sent(): void;
}

export interface RpcMethod {
  readonly type: "unary" | "server_stream";
  readonly service: string;
  readonly name: string;
}

/** What the rpcs need from outside. */
export interface RpcPorts extends DoorPorts {
  readonly rpcs: (method: RpcMethod) => RpcObserver;
}

type Handle = (request: Message, context: RequestContext) => Promise<Message> | AsyncGenerator<Message>;

/** A handler for each rpc that this gateway offers; the others are UNIMPLEMENTED. */
export type Handlers<S extends DescService> = {
  [M in keyof S["method"]]?: S["method"][M] extends {
    input: infer I extends DescMessage;
    output: infer O extends DescMessage;
  }
    ? (
        request: MessageShape<I>,
        context: RequestContext,
      ) => S["method"][M] extends { methodKind: "server_streaming" }
        ? AsyncGenerator<MessageShape<O>>
        : Promise<MessageShape<O>>
    : never;
};

export interface BoundService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** A protobuf-es service with its handlers, as grpc-js wants it. */
export function bindService<S extends DescService>(service: S, handlers: Handlers<S>, ports: RpcPorts): BoundService {
  const definition: Record<string, MethodDefinition<Buffer, Message>> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const method of service.methods) {
    definition[method.name] = definitionOf(service, method);
    const handle = (handlers as Record<string, Handle | undefined>)[method.localName] ?? unimplemented(method);
    const rpc = new Rpc(service, method, handle, ports);
    implementation[method.name] = method.methodKind === "server_streaming" ? rpc.stream : rpc.unary;
  }
  return { definition, implementation };
}

function definitionOf(service: DescService, method: DescMethod): MethodDefinition<Buffer, Message> {
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === "server_streaming",
    // Left as bytes here, so that what cannot be read is answered in our words.
    requestDeserialize: (bytes) => bytes,
    requestSerialize: (bytes) => bytes,
    responseSerialize: method.methodKind === "server_streaming" ? encodeOnce(method.output) : encode(method.output),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes),
  };
}

function encode(schema: DescMessage): (message: Message) => Buffer {
  if (schema === CallResponseSchema) return (message) => encodeCallResponse(message as CallResponse);
  return (message) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

/** Messages of a stream are often sent to many readers: each is encoded once. */
function encodeOnce(schema: DescMessage): (message: Message) => Buffer {
  const encoded = new WeakMap<Message, Buffer>();
  return (message) => {
    const known = encoded.get(message) ?? encode(schema)(message);
    encoded.set(message, known);
    return known;
  };
}

function unimplemented(method: DescMethod): Handle {
  return () => Promise.reject(new DoorError("UNIMPLEMENTED", `This gateway does not offer ${method.name} yet.`));
}

class Rpc {
  readonly #name: string;
  readonly #input: DescMessage;
  readonly #handle: Handle;
  readonly #ports: RpcPorts;
  readonly #observer: RpcObserver;

  constructor(service: DescService, method: DescMethod, handle: Handle, ports: RpcPorts) {
    const type = method.methodKind === "server_streaming" ? "server_stream" : "unary";
    this.#observer = ports.rpcs({ type, service: service.typeName, name: method.name });
    this.#name = method.name;
    this.#input = method.input;
    this.#handle = handle;
    this.#ports = ports;
  }

  readonly unary: handleUnaryCall<Buffer, Message> = async (call, callback) => {
    const finish = this.#start();
    try {
      const { request, context, answered } = this.#enter(call, call.request);
      const response = await (this.#handle(request, context) as Promise<Message>);
      this.#observer.sent();
      answered();
      finish(grpcStatus.OK);
      callback(null, response);
    } catch (thrown) {
      const status = this.#statusOf(thrown);
      finish(status.code);
      callback(status);
    }
  };

  readonly stream: handleServerStreamingCall<Buffer, Message> = async (call) => {
    const finish = this.#start();
    try {
      const { request, context } = this.#enter(call, call.request);
      for await (const message of this.#handle(request, context) as AsyncGenerator<Message>) {
        if (context.signal.aborted) break;
        this.#observer.sent();
        if (!call.write(message)) await takenOrGone(call, context.signal);
      }
      finish(context.signal.aborted ? grpcStatus.CANCELLED : grpcStatus.OK);
      call.end();
    } catch (thrown) {
      const status = this.#statusOf(thrown);
      finish(status.code);
      call.emit("error", status);
    }
  };

  #start(): (code: number) => void {
    const { clock } = this.#ports;
    const startedAt = clock.monotonic();
    this.#observer.started();
    return (code) => this.#observer.handled(code, (clock.monotonic() - startedAt) / 1000);
  }

  #enter(call: AnyServerCall, bytes: Buffer): Entered & { readonly request: Message } {
    const entered = enter(call, this.#ports);
    this.#observer.received();
    return { ...entered, request: this.#decode(bytes) };
  }

  #decode(bytes: Buffer): Message {
    try {
      return fromBinary(this.#input, bytes);
    } catch (error) {
      const message = `The request is not a valid ${this.#input.typeName}: ${(error as Error).message}.`;
      throw new DoorError("INVALID_ARGUMENT", message, error);
    }
  }

  #statusOf(thrown: unknown): StatusObject {
    const error = DoorError.from(thrown);
    if (error.code === "INTERNAL") {
      this.#ports.log.error({ rpc: this.#name, error: error.cause }, "an rpc failed outside a call");
    }
    return { code: DOOR_ERRORS[error.code].grpc, details: error.message, metadata: new Metadata() };
  }
}

/** Waits until the reader took what was written, or went away. */
function takenOrGone(call: AnyServerCall, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      call.off("drain", done);
      gone.removeEventListener("abort", done);
      resolve();
    };
    call.on("drain", done);
    gone.addEventListener("abort", done, { once: true });
  });
}
