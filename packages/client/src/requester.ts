import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { ToolgateClientError } from "./client-error.ts";
import { clientErrorOf } from "./failure.ts";

/** What any request can be given. */
export interface RequestOptions {
  /** Milliseconds until the request is given up; more than 0. The gateway hears of it. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RequesterPorts {
  readonly transport: Transport;
  /** For people, in errors. */
  readonly address: string;
  readonly apiKey: string | undefined;
  readonly defaultTimeoutMs: number;
}

/** What a timer of Node can count to. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Sends one request at a time, never twice, and puts every failure in this client's words. */
export class Requester {
  readonly #ports: RequesterPorts;
  readonly #header: Record<string, string> | undefined;
  readonly #closing = new AbortController();

  constructor(ports: RequesterPorts) {
    this.#ports = ports;
    this.#header = ports.apiKey === undefined ? undefined : { authorization: `Bearer ${readKey(ports.apiKey)}` };
    checkTimeout(ports.defaultTimeoutMs);
  }

  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    input: MessageInitShape<I>,
    options: RequestOptions = {},
  ): Promise<MessageShape<O>> {
    const { transport, address, defaultTimeoutMs } = this.#ports;
    const timeoutMs = checkTimeout(options.timeoutMs ?? defaultTimeoutMs);
    this.#refuseEarly(options.signal);
    const signals = [options.signal, this.#closing.signal].filter((signal) => signal !== undefined);
    try {
      const { message } = await transport.unary(method, AbortSignal.any(signals), timeoutMs, this.#header, input);
      return message;
    } catch (thrown) {
      const closed = this.#closing.signal.aborted;
      throw clientErrorOf(thrown, { address, timeoutMs, signal: options.signal, closed });
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #refuseEarly(signal: AbortSignal | undefined): void {
    const notSent = (message: string) => new ToolgateClientError("CANCELLED", message, { mayHaveRun: false });
    if (this.#closing.signal.aborted) throw notSent("This client is closed. Make another one with createClient().");
    if (signal?.aborted) throw notSent("The request was cancelled before it was sent.");
  }
}

/** The key is checked here, because whoever refuses it later would print it. */
function readKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw refused("The API key is empty or holds a space, a line break or another character that no key has.");
}

function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return Math.ceil(timeoutMs);
  throw refused(`A timeout must be more than 0 and at most ${MAX_TIMEOUT_MS} ms, not ${timeoutMs}.`);
}

function refused(message: string): ToolgateClientError {
  return new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false });
}
