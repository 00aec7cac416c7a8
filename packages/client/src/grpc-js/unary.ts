import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import type { Client } from "@grpc/grpc-js";
import { headersOf, metadataOf } from "./metadata.ts";
import { codecOf, deadlineOf, pathOf } from "./method.ts";
import { connectErrorOf } from "./status.ts";

/** Sends one request, and gives the one answer. Rejects with a ConnectError. */
export function sendUnary<I extends DescMessage, O extends DescMessage>(
  client: Client,
  { method, header, message, signal }: UnaryRequest<I, O>,
  timeoutMs: number | undefined,
): Promise<UnaryResponse<I, O>> {
  const { promise, resolve, reject } = Promise.withResolvers<UnaryResponse<I, O>>();
  const { serialize, parse } = codecOf(method);
  const answer: { message?: MessageShape<O>; header?: Headers } = {};
  const call = client.makeUnaryRequest(
    pathOf(method),
    serialize,
    parse,
    message,
    metadataOf(header),
    deadlineOf(timeoutMs),
    (error, response) => {
      if (error !== null) reject(connectErrorOf(error));
      else answer.message = response as MessageShape<O>;
    },
  );
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  call.on("metadata", (metadata) => {
    answer.header = headersOf(metadata);
  });
  // Comes after the answer, whichever it was.
  call.on("status", ({ metadata }) => {
    signal.removeEventListener("abort", cancel);
    if (answer.message === undefined) return;
    const rest = { header: answer.header ?? new Headers(), trailer: headersOf(metadata), message: answer.message };
    resolve({ stream: false, service: method.parent, method, ...rest });
  });
  return promise;
}
