import {
  create,
  type DescMethod,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";

/** A bare grpc-js client, for what the typed one does not show: metadata, raw bytes, status codes, half-read streams. */
export function grpcClient(address: string, options: Record<string, number | string> = {}): Client {
  const client = new Client(address, credentials.createInsecure(), options);
  onTestFinished(() => client.close());
  return client;
}

export interface UnaryResult<M extends DescMethod> {
  readonly error: ServiceError | null;
  readonly response: MessageShape<M["output"]> | undefined;
}

/** One unary rpc. Resolves also for a status error. `cancel` ends it from the client's side. */
export function unary<M extends DescMethod>(
  client: Client,
  method: M,
  request: MessageShape<M["input"]> | Buffer,
  init: { metadata?: Metadata; options?: CallOptions } = {},
): { readonly result: Promise<UnaryResult<M>>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<UnaryResult<M>>();
  const call = client.makeUnaryRequest(
    pathOf(method),
    (message: MessageShape<M["input"]> | Buffer) =>
      Buffer.isBuffer(message) ? message : Buffer.from(toBinary(method.input, message)),
    (bytes: Buffer) => fromBinary(method.output, bytes) as MessageShape<M["output"]>,
    request,
    init.metadata ?? new Metadata(),
    init.options ?? {},
    (error, response) => resolve({ error, response }),
  );
  return { result: promise, cancel: () => call.cancel() };
}

/** One unary rpc from plain fields. Rejects with the status error. */
export async function rpc<M extends DescMethod>(
  client: Client,
  method: M,
  request: MessageInitShape<M["input"]>,
  metadata?: Metadata,
): Promise<MessageShape<M["output"]>> {
  const message = create(method.input, request) as MessageShape<M["input"]>;
  const { error, response } = await unary(client, method, message, metadata === undefined ? {} : { metadata }).result;
  if (error !== null) throw error;
  return response as MessageShape<M["output"]>;
}

/** Metadata that shows an API key. */
export function bearer(key: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${key}`);
  return metadata;
}

export function serverStream<M extends DescMethod>(
  client: Client,
  method: M,
  request: MessageShape<M["input"]>,
  metadata = new Metadata(),
): ClientReadableStream<MessageShape<M["output"]>> {
  return client.makeServerStreamRequest(
    pathOf(method),
    (message: MessageShape<M["input"]>) => Buffer.from(toBinary(method.input, message)),
    (bytes: Buffer) => fromBinary(method.output, bytes) as MessageShape<M["output"]>,
    request,
    metadata,
  );
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
