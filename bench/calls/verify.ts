import { isDeepStrictEqual } from "node:util";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { CallResponseSchema, type Envelope } from "@toolgate/contract";
import type { LoadTarget } from "../load/load.ts";
import { RawClient } from "../load/raw-client.ts";
import { type Contender, nameOf } from "./contender.ts";
import { ANSWER_TEXT } from "./tools.ts";

/** @throws Error where this contender does not answer what the tool answers. What is wrong is not worth measuring. */
export async function verify(contender: Contender): Promise<void> {
  const { status, data, text } = await answerOf(contender.target);
  if (status === "success" && isDeepStrictEqual(data, JSON.parse(ANSWER_TEXT))) return;
  throw new Error(`${nameOf(contender)} answers something else than the tool does: ${text}`);
}

interface Answer {
  readonly status: unknown;
  readonly data: unknown;
  /** For the message. */
  readonly text: string;
}

async function answerOf(target: LoadTarget): Promise<Answer> {
  if (target.kind === "http") {
    const headers = { "content-type": "application/json" };
    const text = await (await fetch(target.url, { method: "POST", headers, body: target.body })).text();
    return { ...JSON.parse(text), text };
  }
  const client = new RawClient(target.address);
  try {
    const { envelope } = fromBinary(CallResponseSchema, await client.call(target.path, target.message));
    return { status: envelope?.status, data: dataOf(envelope?.payload), text: JSON.stringify(envelope?.error) };
  } finally {
    client.close();
  }
}

function dataOf(payload: Envelope["payload"] | undefined): unknown {
  if (payload?.case === "dataJson") return JSON.parse(payload.value);
  return payload?.case === "data" ? toJson(ValueSchema, payload.value) : undefined;
}
