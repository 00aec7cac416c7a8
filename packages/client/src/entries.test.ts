import { createContext, runInContext } from "node:vm";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { webGateway } from "./gateways.fixture.ts";
import type { ToolgateClient } from "./index.ts";
import type { WebClientOptions } from "./web.ts";

async function bundled(entry: string, platform: "browser" | "node"): Promise<{ meta: Metafile; code: string }> {
  const { metafile, outputFiles } = await build({
    entryPoints: [new URL(entry, import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    platform,
    format: "iife",
    globalName: "toolgate",
    target: "es2024",
    logLevel: "silent",
  });
  return { meta: metafile, code: outputFiles[0]?.text ?? "" };
}

const importsOf = ({ inputs }: Metafile) =>
  Object.values(inputs).flatMap((input) => input.imports.map(({ path }) => path));

describe("the entries", () => {
  it.each(["./web.ts", "./models/index.ts", "./types/index.ts"])("%s needs nothing of Node", async (entry) => {
    // For a browser, the bundler fails on any module of Node.
    const { meta } = await bundled(entry, "browser");
    const paths = [...Object.keys(meta.inputs), ...importsOf(meta)];
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => /^node:|connect-node|grpc-js|node-client/.test(path))).toEqual([]);
  });

  it("./index.ts loads grpc-js only for those who ask", async () => {
    const { meta } = await bundled("./index.ts", "node");
    expect(importsOf(meta).filter((path) => path.includes("grpc-js"))).toEqual([]);
    const { meta: asked } = await bundled("./grpc-js/index.ts", "node");
    expect(importsOf(asked).filter((path) => path.includes("@grpc/grpc-js"))).not.toEqual([]);
  });

  it.each(["./models/index.ts", "./types/index.ts"])("%s loads no protocol", async (entry) => {
    const { meta } = await bundled(entry, "browser");
    expect(Object.keys(meta.inputs).filter((path) => /node_modules|contract/.test(path))).toEqual([]);
  });

  it("./web.ts works with what a browser has", async () => {
    const { address } = await webGateway({ call: () => '{"temperature":21}' });
    const { code } = await bundled("./web.ts", "browser");
    const browser = createContext({
      ...{ AbortController, AbortSignal, DOMException, Headers, Response, TextDecoder, TextEncoder, URL },
      ...{ ReadableStream, clearTimeout, fetch, queueMicrotask, setTimeout },
    });
    runInContext(code, browser);
    const create = runInContext("toolgate.createWebClient", browser) as (options: WebClientOptions) => ToolgateClient;
    const client = create({ baseUrl: `http://${address}` });
    expect(await client.call("weather_query", { city: "Oslo" })).toMatchObject({ data: { temperature: 21 } });
    const events = client.watchToolsets();
    expect((await events.next()).value).toMatchObject({ type: "synced" });
    await events.return();
    client.close();
  });
});
