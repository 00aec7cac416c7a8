import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends bytes as they are to an HTTP server, and reads until it closes the connection or has answered. */
export function rawHttp(base: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    const finish = () => {
      const [headers = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0), headers, body });
      socket.destroy();
    };
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
      const body = text.split(/\r\n\r\n(.*)/s)[1];
      if (length !== undefined && body !== undefined && Buffer.byteLength(body) >= Number(length)) finish();
    });
    socket.on("close", finish).on("error", reject);
    socket.write(bytes);
  });
}

/** A POST of these bytes, written out. */
export function rawPost(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body as string);
  const lines = Object.entries({
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}
