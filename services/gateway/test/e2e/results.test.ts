import { expect } from "vitest";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { httpBackend } from "./harness/http-backend.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

verifies("results.ndjson", async () => {
  const headers = { "content-type": "application/x-ndjson" };
  const good = await httpBackend(() => ({ headers, body: '{"id":1917043659912705296}\n{"id":2}\n' }));
  const bad = await httpBackend(() => ({ headers, body: '{"id":1}\n{"id":' }));
  const gateway = await testGateway({
    tools: {
      "auto.yaml": httpTool("auto", good.url),
      "mapped.yaml": httpTool("mapped", good.url, { response: { format: "ndjson", mapping: { ids: "$[*].id" } } }),
      "bad.yaml": httpTool("bad", bad.url),
    },
  });
  expect((await callHttp(gateway, { tool: "auto" })).text).toContain('"data":[{"id":1917043659912705296},{"id":2}],');
  expect(await gateway.client.call("mapped")).toMatchObject({ data: { ids: [1917043659912705296n, 2] } });
  expect(await gateway.client.call("bad")).toMatchObject({
    error: {
      code: "RESULT_INVALID",
      message: 'Line 2 of the answer of "bad" is not JSON. The text is cut off: it ends before the JSON does.',
    },
  });
});
