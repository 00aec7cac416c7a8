import { type DescMethod, type DescMethodUnary, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { MethodDefinition } from "@grpc/grpc-js";

/** A unary method of the contract, as grpc-js wants it. */
export function unaryDefinition<M extends DescMethodUnary>(
  method: M,
): MethodDefinition<MessageShape<M["input"]>, MessageShape<M["output"]>> {
  return {
    path: pathOf(method),
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => asBuffer(toBinary(method.input, message)),
    requestDeserialize: (bytes) => fromBinary(method.input, bytes) as MessageShape<M["input"]>,
    responseSerialize: (message) => asBuffer(toBinary(method.output, message)),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes) as MessageShape<M["output"]>,
  };
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
