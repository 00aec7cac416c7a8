import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { create } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CallResponseSchema, ToolGatewayService } from "@toolgate/contract";
import { afterEach, describe, expect, it } from "vitest";
import { failureOf } from "./failure-of.fixture.ts";
import { createGrpcJsTransport } from "./grpc-js/index.ts";
import { createClient } from "./index.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function listen(server: Server | Http2Server | ReturnType<typeof createHttp1Server>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A gateway over real sockets whose `call` the test decides. */
async function gateway(call: () => Promise<string>): Promise<{ address: string; sessions: Set<ServerHttp2Session> }> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server(
    connectNodeAdapter({
      routes: ({ service }) => {
        service(ToolGatewayService, {
          call: async () =>
            create(CallResponseSchema, {
              envelope: {
                status: "success",
                tool: "t",
                payload: { case: "dataJson", value: await call() },
                meta: {},
              },
            }),
        });
      },
    }),
  );
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
  });
  closers.push(() => {
    for (const session of sessions) session.destroy();
  });
  return { address: await listen(server), sessions };
}

describe.each([
  { name: "Connect's transport", way: (address: string) => ({ address }), knowsWhatRan: false },
  {
    name: "grpc-js",
    way: (address: string) => ({ transport: createGrpcJsTransport(address) }),
    // It sends nothing before the connection is whole, and says so.
    knowsWhatRan: true,
  },
])("$name", ({ way, knowsWhatRan }) => {
  function clientAt(address: string, timeoutMs = 10_000) {
    const client = createClient({ ...way(address), defaultTimeoutMs: timeoutMs });
    closers.push(() => client.close());
    return client;
  }

  describe("over a real connection", () => {
    it("calls", async () => {
      const { address } = await gateway(async () => '{"ok":true}');
      const client = clientAt(address);
      expect(await client.call("t", { a: 1 })).toMatchObject({ status: "success", data: { ok: true } });
    });

    it("connects again after the gateway was restarted", async () => {
      const { address, sessions } = await gateway(async () => "1");
      const client = clientAt(address);
      await client.call("t");
      for (const session of sessions) session.destroy();
      await expect.poll(async () => (await client.call("t").catch(() => undefined))?.status).toBe("success");
    });

    it("cancels the call in the gateway too", async () => {
      const controller = new AbortController();
      const gone = Promise.withResolvers<void>();
      const server = createHttp2Server();
      server.on("stream", (stream) => {
        stream.on("error", () => {});
        stream.on("aborted", () => gone.resolve());
        controller.abort();
      });
      server.on("session", (session) => closers.push(() => session.destroy()));
      const client = clientAt(await listen(server));
      const error = await failureOf(client.call("t", {}, { signal: controller.signal }));
      expect(error.code).toBe("CANCELLED");
      await gone.promise;
    });

    it("tells the gateway its deadline", async () => {
      const timeout = Promise.withResolvers<unknown>();
      const server = createHttp2Server();
      server.on("stream", (stream, headers) => {
        stream.on("error", () => {});
        timeout.resolve(headers["grpc-timeout"]);
      });
      server.on("session", (session) => closers.push(() => session.destroy()));
      const client = clientAt(await listen(server));
      const error = await failureOf(client.call("t", {}, { timeoutMs: 250 }));
      // grpc-js says what is left of it.
      expect(await timeout.promise).toMatch(/^(2[0-4]\d|250|1\d\d)m$/);
      expect(error).toMatchObject({ code: "DEADLINE_EXCEEDED", mayHaveRun: true });
      expect(error.message).toMatch(/^No answer from 127\.0\.0\.1:\d+ within 0\.25 s\.$/);
    });
  });

  describe("where no answer can come", () => {
    it("says that the connection was refused", async () => {
      const server = createTcpServer();
      const address = await listen(server);
      await new Promise((resolve) => server.close(resolve));
      const error = await failureOf(clientAt(address).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
      expect(error.message).toBe(`Cannot reach a gateway at ${address}: connection refused. Is it running?`);
    });

    it("says the same for a name with several addresses", async () => {
      const server = createTcpServer();
      const port = (await listen(server)).split(":")[1];
      await new Promise((resolve) => server.close(resolve));
      const error = await failureOf(clientAt(`localhost:${port}`).call("t"));
      expect(error.message).toBe(`Cannot reach a gateway at localhost:${port}: connection refused. Is it running?`);
    });

    it("says that there is no such host", async () => {
      const error = await failureOf(clientAt("no-such-host.invalid:50051").call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
      expect(error.message).toMatch(/^Cannot reach a gateway at no-such-host\.invalid:50051: .*name.*\.$/);
    });

    it("is UNAVAILABLE, and nobody knows what ran, where the gateway dies in the middle of a call", async () => {
      const { address, sessions } = await gateway(() => {
        for (const session of sessions) session.destroy();
        return new Promise(() => {});
      });
      const error = await failureOf(clientAt(address).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: true });
      expect(error.message).toContain("was lost before the answer came");
    });

    it("is UNAVAILABLE where the socket is cut", async () => {
      const server = createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.resetAndDestroy());
      });
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: !knowsWhatRan });
    });

    it("is UNAVAILABLE and provably not run where the gateway refuses the stream", async () => {
      const server = createHttp2Server();
      server.on("stream", (stream) => {
        stream.on("error", () => {});
        stream.close(7); // REFUSED_STREAM, RFC 9113 section 7
      });
      server.on("session", (session) => closers.push(() => session.destroy()));
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
    });

    it.each([
      ["ends the stream without an answer", (end: (headers?: object) => void) => end()],
      ["leaves out the status", (end: (headers?: object) => void) => end({ "content-type": "application/grpc" })],
    ])("is UNAVAILABLE where the gateway %s", async (_name, answer) => {
      const server = createHttp2Server();
      server.on("stream", (stream) => {
        stream.on("error", () => {});
        answer((headers) => {
          if (headers !== undefined) stream.respond({ ":status": 200, ...headers });
          if (headers === undefined) stream.close();
          else stream.end();
        });
      });
      server.on("session", (session) => closers.push(() => session.destroy()));
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: true });
    });

    it("says that it is the wrong port where HTTP/1.1 answers", async () => {
      const server = createHttp1Server((_request, response) => response.end("hello"));
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
      expect(error.message).toContain("it does not speak gRPC");
    });

    it("says that it is the wrong port where HTTP/2 answers something else", async () => {
      const server = createHttp2Server((_request, response) => response.end("hello"));
      server.on("session", (session) => closers.push(() => session.destroy()));
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun: false });
      expect(error.message).toContain("it does not speak gRPC");
    });

    it.each([
      [404, /does not speak gRPC \(HTTP 404\)/, false],
      [503, /HTTP 503. Is it a proxy/, true],
    ])("says what HTTP status %i means", async (status, message, mayHaveRun) => {
      const server = createHttp2Server((_request, response) => {
        response.statusCode = status;
        response.end("nobody here");
      });
      server.on("session", (session) => closers.push(() => session.destroy()));
      const error = await failureOf(clientAt(await listen(server)).call("t"));
      expect(error).toMatchObject({ code: "UNAVAILABLE", mayHaveRun });
      expect(error.message).toMatch(message);
    });
  });
});
