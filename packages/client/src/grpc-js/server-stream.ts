import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type StreamRequest, type StreamResponse } from "@connectrpc/connect";
import type { Client, ClientReadableStream, ServiceError } from "@grpc/grpc-js";
import { headersOf, metadataOf } from "./metadata.ts";
import { codecOf, deadlineOf, pathOf } from "./method.ts";
import { connectErrorOf } from "./status.ts";

/** Opens a stream of answers to one request. Rejects, and the messages end, with a ConnectError. */
export async function openServerStream<I extends DescMessage, O extends DescMessage>(
  client: Client,
  request: StreamRequest<I, O>,
  timeoutMs: number | undefined,
): Promise<StreamResponse<I, O>> {
  const { method, header, signal } = request;
  const { serialize, parse } = codecOf(method);
  const input = await onlyMessage(request);
  const options = deadlineOf(timeoutMs);
  const call = client.makeServerStreamRequest(pathOf(method), serialize, parse, input, metadataOf(header), options);
  signal.addEventListener("abort", () => call.cancel(), { once: true });
  if (signal.aborted) call.cancel();
  const trailer = new Headers();
  call.on("status", ({ metadata }) => {
    for (const [key, value] of headersOf(metadata)) trailer.append(key, value);
  });
  const incoming = new Incoming<MessageShape<O>>(call);
  const answered = await incoming.header;
  return { stream: true, service: method.parent, method, header: answered, trailer, message: incoming.messages() };
}

async function onlyMessage<I extends DescMessage, O extends DescMessage>({
  method,
  message,
}: StreamRequest<I, O>): Promise<MessageShape<I>> {
  if (method.methodKind !== "server_streaming") {
    throw new ConnectError("This transport streams answers only.", Code.Unimplemented);
  }
  for await (const first of message) return first;
  throw new ConnectError("The request holds no message.", Code.InvalidArgument);
}

/** Takes the messages of a call one by one; those that nobody asked for yet wait in the gateway. */
class Incoming<M> {
  /** Resolves with the first sign of an answer. */
  readonly header: Promise<Headers>;
  readonly #call: ClientReadableStream<M>;
  #failure: ConnectError | undefined;
  #isEnded = false;
  #wake = () => {};

  constructor(call: ClientReadableStream<M>) {
    this.#call = call;
    const { promise, resolve, reject } = Promise.withResolvers<Headers>();
    this.header = promise;
    call.on("metadata", (metadata) => resolve(headersOf(metadata)));
    call.on("error", (error: ServiceError) => {
      this.#failure = connectErrorOf(error);
      reject(this.#failure);
      this.#wake();
    });
    call.on("end", () => {
      this.#isEnded = true;
      resolve(new Headers());
      this.#wake();
    });
    call.on("readable", () => this.#wake());
  }

  async *messages(): AsyncGenerator<M, void, undefined> {
    try {
      for (;;) {
        const message = this.#call.read() as M | null;
        if (message !== null) yield message;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#isEnded) return;
        else await this.#sign();
      }
    } finally {
      this.#call.cancel();
    }
  }

  #sign(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }
}
