import { create } from "@bufbuild/protobuf";
import { ToolFailureSchema } from "@toolgate/contract";
import {
  type Behaviour,
  BIG_INTEGER_JSON,
  backendSuite,
  LARGE_BYTES,
  TOOL_ERROR_TEXT,
} from "@toolgate/testkit/backend-suite";
import { deadPort } from "../../test/http-server.ts";
import { instanceAt, providerTool, startProvider, textIn } from "../../test/provider-tool.ts";
import { createProviderBackend } from "./index.ts";

type Answering = Parameters<typeof startProvider>[0];

const ANSWERS: Readonly<Record<Exclude<Behaviour, "absent">, Answering>> = {
  echo: (request) => ({ case: "dataJson", value: textIn(request) }),
  fail: () => ({ case: "failure", value: create(ToolFailureSchema, { code: "closed", message: TOOL_ERROR_TEXT }) }),
  silent: () => undefined,
  large: () => ({ case: "dataJson", value: JSON.stringify("x".repeat(LARGE_BYTES)) }),
  "big-integer": () => ({ case: "dataJson", value: BIG_INTEGER_JSON }),
  break: (_request, call) => {
    call.cut();
    return undefined;
  },
};

backendSuite("provider", {
  async scene({ behaviour, annotations, maxBytes }) {
    const server = behaviour === "absent" ? undefined : await startProvider(ANSWERS[behaviour]);
    const response = maxBytes === undefined ? {} : { response: { format: "auto" as const, maxBytes } };
    return {
      backend: createProviderBackend(),
      tool: providerTool({ annotations, ...response }),
      instances: [instanceAt(server?.address ?? `127.0.0.1:${await deadPort()}`)],
      taken: () => server?.seen.length ?? 0,
      givenUp: () => server?.givenUp ?? 0,
      end: async () => server?.stop(),
    };
  },
});
