import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type InvokeRequest, InvokeRequestSchema, type InvokeResponse, InvokeResponseSchema } from "@toolgate/contract";
import type { Instance, Tool } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { type Answer, GrpcServer, type SeenCall } from "./grpc-server.ts";

export const INVOKE = "/toolgate.v1.ToolProviderService/Invoke";

/** A tool that its process serves itself. */
export function providerTool(changes: Partial<Tool> = {}): Tool {
  return aTool({
    name: "provided",
    annotations: {},
    timeoutMs: 5_000,
    ...changes,
    backend: { kind: "provider", name: "provided", settings: {} },
  });
}

export function instanceAt(address: string, leaseId = address): Instance {
  return { leaseId, address };
}

type Outcome = InvokeResponse["outcome"];
type Answering = (request: InvokeRequest, call: SeenCall) => Outcome | Answer | Promise<Outcome | Answer>;

/** A provider that answers like this; a Buffer or a status goes out as it is. */
export function startProvider(answer: Answering, port = 0): Promise<GrpcServer> {
  return GrpcServer.start(
    {
      [INVOKE]: async (call) => {
        const given = await answer(fromBinary(InvokeRequestSchema, call.message), call);
        return given !== undefined && "case" in given ? encode(given) : given;
      },
    },
    port,
  );
}

function encode(outcome: Outcome): Buffer {
  return Buffer.from(toBinary(InvokeResponseSchema, create(InvokeResponseSchema, { outcome })));
}

/** The arguments as the provider got them. */
export function textIn({ input }: InvokeRequest): string {
  if (input.case !== "argumentsJson") throw new Error(`the arguments came as ${input.case}`);
  return input.value;
}
