import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { ToolgateClientError } from "./client-error.ts";
import type { Connection } from "./connection.ts";
import { clientErrorOf } from "./failure.ts";

/** What any request can be given. */
export interface RequestOptions {
  /** Milliseconds until the request is given up; more than 0. The gateway hears of it. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RequesterOptions {
  readonly apiKey: string | undefined;
  readonly defaultTimeoutMs: number;
}

/** What a timer can count to. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Sends one request at a time, never twice, and puts every failure in this client's words. */
export class Requester {
  readonly #connection: Connection;
  readonly #defaultTimeoutMs: number;
  readonly #header: Record<string, string> | undefined;
  readonly #closing = new AbortController();

  constructor(connection: Connection, { apiKey, defaultTimeoutMs }: RequesterOptions) {
    this.#connection = connection;
    this.#header = apiKey === undefined ? undefined : { authorization: `Bearer ${readKey(apiKey)}` };
    this.#defaultTimeoutMs = checkTimeout(defaultTimeoutMs);
  }

  /** Aborted by `close()`. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    input: MessageInitShape<I>,
    options: RequestOptions = {},
  ): Promise<MessageShape<O>> {
    const timeoutMs = checkTimeout(options.timeoutMs ?? this.#defaultTimeoutMs);
    const signal = this.#open(options.signal);
    try {
      const { message } = await this.#connection.transport.unary(method, signal, timeoutMs, this.#header, input);
      return message;
    } catch (thrown) {
      throw this.#failure(thrown, options.signal, timeoutMs);
    }
  }

  /** The messages of a stream, each asked for when the reader wants it; no deadline. */
  async *receive<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    input: MessageInitShape<I>,
    caller: AbortSignal,
  ): AsyncGenerator<MessageShape<O>, void, undefined> {
    const signal = this.#open(caller);
    try {
      const { message } = await this.#connection.transport.stream(
        method,
        signal,
        undefined,
        this.#header,
        (async function* () {
          yield input;
        })(),
      );
      yield* message;
    } catch (thrown) {
      throw this.#failure(thrown, caller, undefined);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  /** The signal of a request: the caller's and this client's. Throws where one is aborted already. */
  #open(caller: AbortSignal | undefined): AbortSignal {
    const notSent = (message: string) => new ToolgateClientError("CANCELLED", message, { mayHaveRun: false });
    if (this.closed.aborted) throw notSent("This client is closed. Make another one.");
    if (caller?.aborted) throw notSent("The request was cancelled before it was sent.");
    return eitherOf(caller, this.closed);
  }

  #failure(thrown: unknown, signal: AbortSignal | undefined, timeoutMs: number | undefined): ToolgateClientError {
    const { address, door } = this.#connection;
    return clientErrorOf(thrown, { address, door, timeoutMs, signal, closed: this.closed.aborted });
  }
}

/** Aborted by the caller, or when the client is closed. */
export function eitherOf(caller: AbortSignal | undefined, closed: AbortSignal): AbortSignal {
  return caller === undefined ? closed : AbortSignal.any([caller, closed]);
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
