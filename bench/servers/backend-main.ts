/**
 * The tool behind every forwarder: answers some 200 bytes of JSON at once, over connections that are kept
 * alive. Counts what it answered, and tells the number whenever it is sent a message.
 */
import { createServer } from "node:http";
import { ANSWER_TEXT } from "../calls/tools.ts";
import { announce } from "./announce.ts";

const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(ANSWER_TEXT) };
let answered = 0;

const server = createServer((request, response) => {
  request.resume().once("end", () => {
    answered += 1;
    response.writeHead(200, headers).end(ANSWER_TEXT);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => announce((server.address() as { port: number }).port));
process.on("message", () => process.send?.(answered));
