/**
 * The least that a gateway can do: reads the call, makes the tool's HTTP request of it, and puts the answer
 * into the response. It knows its two tools by heart; it checks, limits, counts and logs nothing.
 */
import type { CallRequest, CallResponse } from "@toolgate/contract";
import { Pool } from "undici";
import { answerOf } from "../calls/answer.ts";
import { GET_TOOL } from "../calls/tools.ts";
import { serveCalls } from "./call-server.ts";

const [origin = ""] = process.argv.slice(2);
// As many connections as the gateway gives one origin.
const pool = new Pool(origin, { connections: 64, pipelining: 1 });
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

serveCalls(async (request): Promise<CallResponse> => {
  const { statusCode, body } = await (request.target.value === GET_TOOL.name ? get(request) : post(request));
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The backend answered ${statusCode}.`);
  return answerOf(request, text);
});

function get({ input }: CallRequest) {
  const args = input.case === "argumentsJson" ? JSON.parse(input.value) : input.value;
  return pool.request({ method: "GET", path: `${GET_TOOL.path}?${new URLSearchParams(args)}` });
}

function post({ input }: CallRequest) {
  const body = input.case === "argumentsJson" ? input.value : JSON.stringify(input.value);
  return pool.request({ method: "POST", path: "/post", headers: JSON_HEADERS, body });
}
