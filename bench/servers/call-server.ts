import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { type handleUnaryCall, type MethodDefinition, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { type CallRequest, CallRequestSchema, type CallResponse, CallResponseSchema } from "@toolgate/contract";
import { CALL_PATH } from "../calls/tools.ts";
import { announce } from "./announce.ts";

const call: MethodDefinition<CallRequest, CallResponse> = {
  path: CALL_PATH,
  requestStream: false,
  responseStream: false,
  requestDeserialize: (bytes) => fromBinary(CallRequestSchema, bytes),
  requestSerialize: (request) => encode(toBinary(CallRequestSchema, request)),
  responseSerialize: (response) => encode(toBinary(CallResponseSchema, response)),
  responseDeserialize: (bytes) => fromBinary(CallResponseSchema, bytes),
};

function encode(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A grpc-js server of nothing but Call, with the codec that the gateway uses, on a free port of loopback. */
export function serveCalls(answer: (request: CallRequest) => CallResponse | Promise<CallResponse>): void {
  const server = new Server({ "grpc.enable_channelz": 0 });
  const handle: handleUnaryCall<CallRequest, CallResponse> = async ({ request }, callback) => {
    try {
      callback(null, await answer(request));
    } catch (error) {
      callback({ code: status.INTERNAL, details: String(error) });
    }
  };
  server.addService({ call }, { call: handle });
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    announce(port);
  });
}
