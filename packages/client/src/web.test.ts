import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createConnectTransport } from "@connectrpc/connect-web";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { createWebClient, type WebClientOptions } from "./web.ts";

/** Answers every request like this; gives its base URL. */
async function answering(status: number, body: string, type = "application/json; charset=utf-8"): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, { "content-type": type }).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How a gateway's HTTP door refuses what it does not let in. */
const refusal = (code: string) => JSON.stringify({ status: "error", tool: "", error: { code, message: "no" } });

describe.each(["connect", "grpc-web"] as const)("what a door says by HTTP alone, to %s", (protocol) => {
  it.each([
    [401, "UNAUTHENTICATED", "does not know this API key", undefined],
    [403, "PERMISSION_DENIED", "allowed_origins", undefined],
    [413, "MESSAGE_TOO_LARGE", "larger", "text/html"],
  ])("%i", async (status, code, words, type) => {
    const client = createWebClient({ baseUrl: await answering(status, refusal(code), type), protocol });
    for (const request of [() => client.call("t"), () => client.watchToolsets().next()]) {
      const error = await failureOf(request());
      expect(error).toMatchObject({ code, mayHaveRun: false });
      expect(error.message).toContain(words);
    }
  });

  it("503", async () => {
    const client = createWebClient({ baseUrl: await answering(503, refusal("UNAVAILABLE")), protocol });
    expect(await failureOf(client.call("t"))).toMatchObject({ code: "UNAVAILABLE" });
  });

  it.each([
    [404, "text/html", "<html>"],
    [200, "text/html", "<html>"],
    [200, "application/json", "{}"],
  ])("%i %s is no gateway", async (status, type, body) => {
    const client = createWebClient({ baseUrl: await answering(status, body, type), protocol });
    const error = await failureOf(client.call("t"));
    // gRPC-Web does not look at the type, and cannot tell another text from an answer that was cut.
    const isCut = protocol === "grpc-web" && status === 200;
    expect(error).toMatchObject({ code: isCut ? "INVALID_RESPONSE" : "UNAVAILABLE", mayHaveRun: isCut });
    expect(error.message).toContain("Is that the port of the gateway's HTTP door (9000 by default)?");
  });
});

describe("createWebClient", () => {
  it.each(["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed"])(
    "says what may be wrong where a browser only says %j",
    async (message) => {
      const fetch = () => Promise.reject(new TypeError(message));
      const transport = createConnectTransport({ baseUrl: "http://gateway.example", fetch });
      const client = createWebClient({ baseUrl: "http://gateway.example", transport });
      const error = await failureOf(client.call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: true });
      expect(error.message).toBe(
        "No answer from a gateway at gateway.example. Is it running, and is this page's origin among its allowed_origins?",
      );
    },
  );

  it("keeps a path in front", async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools/`;
    await failureOf(createWebClient({ baseUrl }).call("t"));
    expect(paths).toEqual(["/tools/toolgate.v1.ToolGatewayService/Call"]);
  });

  it.each<[Partial<WebClientOptions>, string]>([
    [{ baseUrl: "127.0.0.1:9000" }, "http or https"],
    [{ baseUrl: "ftp://x" }, "http or https"],
    [{ baseUrl: "http://x/?a=1" }, "must end with its path"],
  ])("refuses %j", (options, why) => {
    expect(() => createWebClient(options as WebClientOptions)).toThrow(why);
  });

  it("does not repeat a password", () => {
    expect(() => createWebClient({ baseUrl: "http://me:secret@x" })).toThrow(/^(?!.*secret)/);
  });
});
