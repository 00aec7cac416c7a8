import {
  type Behaviour,
  BIG_INTEGER_JSON,
  backendSuite,
  LARGE_BYTES,
  TOOL_ERROR_TEXT,
} from "@toolgate/testkit/backend-suite";
import { type Answerer, deadPort, TestServer } from "../../test/http-server.ts";
import { httpTool } from "../../test/http-tool.ts";
import { createHttpBackend } from "./index.ts";

const ANSWERS: Readonly<Record<Exclude<Behaviour, "absent">, Answerer>> = {
  echo: (request, response) => response.setHeader("content-type", "application/json").end(request.body || "{}"),
  fail: (_request, response) => response.writeHead(422).end(JSON.stringify({ message: TOOL_ERROR_TEXT })),
  silent: () => {},
  large: (_request, response) => response.setHeader("content-type", "text/plain").end("x".repeat(LARGE_BYTES)),
  "big-integer": (_request, response) => response.setHeader("content-type", "application/json").end(BIG_INTEGER_JSON),
  break: (_request, response) => response.socket?.destroy(),
};

backendSuite("http", {
  async scene({ behaviour, annotations, maxBytes }) {
    const backend = createHttpBackend();
    const server = behaviour === "absent" ? undefined : await TestServer.start(ANSWERS[behaviour]);
    const origin = server?.origin ?? `http://127.0.0.1:${await deadPort()}`;
    const response = maxBytes === undefined ? {} : { response: { format: "auto" as const, maxBytes } };
    return {
      backend,
      tool: httpTool({ endpoint: `${origin}/tool`, method: "POST" }, { annotations, ...response }),
      taken: () => server?.seen.length ?? 0,
      givenUp: () => server?.givenUp ?? 0,
      end: async () => server?.stop(),
    };
  },
});
