import { answerTooLarge, isTimeout, type Reply } from "@toolgate/core";
import type { Dispatcher } from "undici";
import { type Answer, ERROR_BODY_BYTES, errorOf, isSuccess, replyOf } from "./answer.ts";
import { failureOf, givenUp, type Phase, shuttingDown, type Trip } from "./failures.ts";
import type { OriginPool, Sender } from "./origin-pool.ts";
import type { OutgoingRequest } from "./request.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** How an exchange ends. */
export interface Ending {
  resolve(reply: Reply | Promise<Reply>): void;
  reject(error: unknown): void;
}

/**
 * One request and its answer. undici calls `onRequestStart` right before the
 * first byte is written; what fails before that was provably not delivered.
 */
export class Exchange implements Dispatcher.DispatchHandler, Sender {
  readonly #trip: Trip;
  readonly #request: OutgoingRequest;
  readonly #ending: Ending;
  readonly #now: () => number;
  #phase: Phase = "waiting";
  #pool: OriginPool | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #limit = 0;

  constructor(trip: Trip, request: OutgoingRequest, ending: Ending, now: () => number) {
    this.#trip = trip;
    this.#request = request;
    this.#ending = ending;
    this.#now = now;
  }

  start(pool: OriginPool): void {
    this.#trip.invocation.signal.addEventListener("abort", this, { once: true });
    this.#pool = pool;
    pool.enter(this);
  }

  send(pool: OriginPool): void {
    this.#phase = "connecting";
    const { method, path, headers, body } = this.#request;
    pool.dispatcher.dispatch({ method, path, headers, body }, this);
  }

  refuse(): void {
    this.#fail(shuttingDown(this.#trip));
  }

  /** The signal aborted: the exchange is its own listener, which saves a closure for each call. */
  handleEvent(): void {
    if (this.#settled) return;
    if (this.#phase === "waiting") this.#pool?.leave(this);
    if (this.#phase === "answering" && !isSuccess(this.#status) && isTimeout(this.#trip.invocation.signal.reason))
      this.#answerWithError();
    else this.#fail(givenUp(this.#trip, this.#phase));
    this.#controller?.abort(new Error("given up"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // To throw is to withdraw: nothing is written, and the connection stays good.
    if (this.#settled) throw new Error("given up");
    this.#controller = controller;
    this.#phase = "sent";
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#settled) return;
    this.#phase = "answering";
    this.#status = status;
    this.#headers = headers;
    const { maxBytes } = this.#trip.tool.response;
    this.#limit = isSuccess(status) ? maxBytes : ERROR_BODY_BYTES;
    const announced = Number(one(headers["content-length"]) ?? 0);
    if (isSuccess(status) && announced > maxBytes && this.#request.method !== "HEAD") this.#stopTooLarge(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#limit) return;
    if (isSuccess(this.#status)) {
      this.#stopTooLarge(controller);
    } else {
      this.#answerWithError();
      controller.abort(new Error("enough read"));
    }
  }

  onResponseEnd(): void {
    if (!this.#settled) {
      if (isSuccess(this.#status)) this.#succeed();
      else this.#answerWithError();
    }
    this.#pool?.release();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (!this.#settled) {
      if (this.#phase === "answering" && !isSuccess(this.#status)) this.#answerWithError();
      else this.#fail(failureOf(this.#trip, this.#phase, error));
    }
    this.#pool?.release();
  }

  #stopTooLarge(controller: Dispatcher.DispatchController): void {
    this.#fail(answerTooLarge(this.#trip));
    controller.abort(new Error("too large"));
  }

  #succeed(): void {
    this.#settle();
    try {
      this.#ending.resolve(replyOf(this.#trip, this.#answer()));
    } catch (error) {
      this.#ending.reject(error);
    }
  }

  #answerWithError(): void {
    this.#settle();
    errorOf(this.#trip, this.#answer(), this.#now()).then(
      (error) => this.#ending.reject(error),
      (error) => this.#ending.reject(error),
    );
  }

  #fail(error: unknown): void {
    this.#settle();
    this.#ending.reject(error);
  }

  #settle(): void {
    this.#settled = true;
    this.#trip.invocation.signal.removeEventListener("abort", this);
  }

  #answer(): Answer {
    const [first] = this.#chunks;
    const headers = this.#headers;
    return {
      status: this.#status,
      bytes: this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks),
      mediaType: one(headers["content-type"]) ?? "",
      encoding: one(headers["content-encoding"]) ?? "",
      location: one(headers.location),
      retryAfter: one(headers["retry-after"]),
    };
  }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
