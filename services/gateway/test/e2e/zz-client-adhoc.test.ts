import { describe, expect, it, onTestFinished } from "vitest";
import { createClient, createToolsetView } from "@toolgate/client";
import { createGrpcJsTransport } from "@toolgate/client/grpc-js";
import { createWebClient } from "@toolgate/client/web";
import { toolsFor, runToolCalls } from "@toolgate/client/models";
import { generateTypes } from "@toolgate/client/types";
import { testGateway } from "./harness/gateway.ts";

const tool = `name: my.tool
type: http
description: x
endpoint: http://127.0.0.1:1/weather
method: GET
params:
  - name: city
    type: string
    required: true
`;
describe("adhoc", () => {
  it("works", async () => {
    const gw = await testGateway({ tools: { "a.yaml": tool }, yaml: 'clients: [{id: a, key_hashes: ["sha256:9e994a753723d0ccc99351d995ca9c73f5187f563012f8750c1f4283d9da77eb"]}]\n', apiKey: "tg_0123456789abcdefghijklmnop" }).catch((e) => { console.log(String(e)); return testGateway({ tools: { "a.yaml": tool } }); });
    const ways = [
      (o: object) => createClient({ address: gw.grpc, ...o }),
      (o: object) => createClient({ transport: createGrpcJsTransport(gw.grpc), ...o }),
      (o: object) => createWebClient({ baseUrl: gw.http, ...o }),
      (o: object) => createWebClient({ baseUrl: gw.http, protocol: "grpc-web", ...o }),
    ];
    for (const way of ways) {
      const client = way({ apiKey: "tg_0123456789abcdefghijklmnop" });
      const bad = way({ apiKey: "wrong" });
      console.log((await client.listTools()).tools.length, await client.call("my.tool", {city:"x"}).then((r)=>r.status==="error"&&r.error.code));
      console.log(await bad.call("my.tool").catch((e) => [e.code, e.message, e.mayHaveRun]));
      console.log(await bad.watchToolsets().next().catch((e) => [e.code, e.message, e.mayHaveRun]));
      client.close(); bad.close();
    }
  });
});
