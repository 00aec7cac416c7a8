import {
  type CallOptions,
  type JsonValue,
  parseJson,
  type RequestOptions,
  type ToolgateClient,
} from "@toolgate/client";
import { EXIT, UsageError } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { readPairs } from "../params/pairs.ts";
import { readParams } from "../params/read-params.ts";
import { readTimeout } from "../params/read-timeout.ts";
import { readText } from "../read-file.ts";
import { renderResult } from "../render/call-result.ts";
import type { Terminal } from "../terminal.ts";

export interface CallCommandOptions extends GatewayOptions {
  readonly param?: readonly string[];
  readonly paramsJson?: string;
  readonly json?: boolean;
  readonly raw?: boolean;
  readonly field?: readonly string[];
  readonly session?: string;
  readonly timeout?: string;
  readonly idempotencyKey?: string;
}

/** `toolgate call`: runs one tool. Exit code 1 where it ends in an error. */
export async function callCommand(name: string, options: CallCommandOptions, terminal: Terminal): Promise<number> {
  const pairs = readPairs(options.param ?? []);
  const base = await readBase(options.paramsJson, terminal);
  const callOptions = readCallOptions(options);
  const result = await withGateway(options, terminal, async (client, signal) => {
    const inTime = { ...callOptions, signal };
    if (pairs.size === 0) return client.call(name, base.text, inTime);
    const named = await readParams(pairs, await inputSchemaOf(client, name, inTime));
    return client.call(name, { ...base.value, ...named }, inTime);
  });
  if (options.json) {
    const { envelopeToJson } = await import("../../transport/http/json.ts");
    terminal.out.write(`${envelopeToJson(result.envelope)}\n`);
  } else {
    renderResult(result, terminal);
  }
  return result.status === "error" ? EXIT.failed : EXIT.ok;
}

/** Arguments as JSON: the text itself, to be sent as it is, and what it says, to be added to. */
interface Base {
  readonly text: string;
  readonly value: object;
}

async function readBase(given: string | undefined, terminal: Terminal): Promise<Base> {
  if (given === undefined) return { text: "{}", value: {} };
  const text = await textOf(given, terminal);
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new UsageError(`The arguments are not valid JSON: ${(error as Error).message}.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { text, value };
  throw new UsageError('The arguments must be one JSON object, such as {"city":"Beijing"}.');
}

async function textOf(given: string, terminal: Terminal): Promise<string> {
  if (given === "-") return terminal.readInput();
  return given.startsWith("@") ? readText(given.slice(1), "The file of arguments") : given;
}

function readCallOptions(options: CallCommandOptions): CallOptions {
  const { raw, field, session, idempotencyKey } = options;
  return {
    ...(field === undefined ? {} : { fields: field }),
    ...(raw === undefined ? {} : { raw }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(options.timeout === undefined ? {} : { timeoutMs: readTimeout(options.timeout) }),
  };
}

/** A tool that is not listed may exist nevertheless; the call itself will tell. Until then nothing is known of it. */
async function inputSchemaOf(client: ToolgateClient, name: string, options: RequestOptions): Promise<JsonValue> {
  const { tools } = await client.listTools({ name, includeUnavailable: true }, options);
  return tools[0]?.inputSchema ?? true;
}
