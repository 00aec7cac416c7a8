import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { CallOptions } from "@grpc/grpc-js";

/** As in the HTTP/2 request: "/toolgate.v1.ToolGatewayService/Call". */
export function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

export function codecOf<I extends DescMessage, O extends DescMessage>(method: DescMethod & { input: I; output: O }) {
  return {
    serialize(message: MessageShape<I>): Buffer {
      const { buffer, byteOffset, byteLength } = toBinary(method.input, message);
      return Buffer.from(buffer, byteOffset, byteLength);
    },
    parse: (bytes: Buffer): MessageShape<O> => fromBinary(method.output, bytes),
  };
}

/** The deadline, which also travels to the gateway. */
export function deadlineOf(timeoutMs: number | undefined): CallOptions {
  return timeoutMs === undefined || timeoutMs <= 0 ? {} : { deadline: Date.now() + timeoutMs };
}
