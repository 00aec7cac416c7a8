import { type Behaviour, backendSuite, LARGE_BYTES, TOOL_ERROR_TEXT } from "@toolgate/testkit/backend-suite";
import { type DemoMethods, grpcTool, startDemo } from "../../test/grpc-tool.ts";
import { deadPort } from "../../test/http-server.ts";
import { createGrpcBackend } from "./index.ts";

const ANSWERS: Readonly<Record<Exclude<Behaviour, "absent">, DemoMethods["Echo"]>> = {
  echo: (json) => ({ json }),
  fail: () => ({ code: 9, details: TOOL_ERROR_TEXT }),
  silent: () => undefined,
  large: () => ({ json: { text: "x".repeat(LARGE_BYTES) } }),
  "big-integer": (json) => ({ json }),
  break: (_json, call) => {
    call.cut();
    return undefined;
  },
};

backendSuite("grpc", {
  without: {
    "big-integers":
      "any JSON goes through a google.protobuf.Struct, which holds doubles; int64 fields have a test of their own",
  },
  async scene({ behaviour, annotations, maxBytes }) {
    const echo = behaviour === "absent" ? undefined : ANSWERS[behaviour];
    const server = echo === undefined ? undefined : await startDemo({ Echo: echo });
    const response = maxBytes === undefined ? {} : { response: { format: "auto" as const, maxBytes } };
    return {
      backend: createGrpcBackend(),
      tool: grpcTool(server?.address ?? `127.0.0.1:${await deadPort()}`, {}, { annotations, ...response }),
      taken: () => server?.seen.length ?? 0,
      givenUp: () => server?.givenUp ?? 0,
      end: async () => server?.stop(),
    };
  },
});
