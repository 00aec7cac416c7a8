import { type Channel, status as grpcStatus, type Metadata, type StatusObject } from "@grpc/grpc-js";
import { isTimeout } from "@toolgate/core";
import { DeliveryWatch } from "./delivery.ts";
import { type UnaryEnd, verdictOf } from "./verdict.ts";

/** One request, ready to be sent. */
export interface UnaryRequest {
  /** "/package.Service/Method". */
  readonly path: string;
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** Goes to the server as its deadline. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a call needs to know of its channel. */
export interface CallSetting {
  /** The most bytes that the channel takes as a message. */
  readonly receiveLimit: number;
  /** Bound for finding a connection, in milliseconds; unset where there is one already. */
  readonly connectTimeoutMs: number | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** A server whose clock runs fast may say that the time is up this much before it is. */
const DEADLINE_SLACK_MS = 20;

type LowLevelCall = ReturnType<Channel["createCall"]>;

/**
 * One unary call. It is made on the channel itself, below grpc-js's client:
 * that costs a stack trace, an emitter and a line of interceptors for each
 * call, and does not say whether the request was ever sent.
 */
export class UnaryCall {
  /** Resolves when the call ends, however it ends; never rejects. */
  readonly ended: Promise<UnaryEnd>;
  readonly startedAt: number;
  readonly #request: UnaryRequest;
  readonly #setting: CallSetting;
  readonly #watch = new DeliveryWatch();
  readonly #messages: Buffer[] = [];
  #call: LowLevelCall | undefined;
  #headers: Metadata | undefined;
  #connectTimer: NodeJS.Timeout | undefined;
  #end: ((end: UnaryEnd) => void) | undefined;

  constructor(request: UnaryRequest, setting: CallSetting) {
    this.#request = request;
    this.#setting = setting;
    this.startedAt = setting.now();
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  start(channel: Channel): void {
    const { path, metadata, message, timeoutMs, signal } = this.#request;
    if (signal.aborted) {
      this.handleEvent();
      return;
    }
    const call = channel.createCall(path, Date.now() + timeoutMs, null, null, null);
    this.#call = call;
    call.setCredentials(this.#watch);
    signal.addEventListener("abort", this, { once: true });
    const { connectTimeoutMs } = this.#setting;
    if (connectTimeoutMs !== undefined) {
      this.#connectTimer = setTimeout(() => this.#giveUpConnecting(), connectTimeoutMs);
    }
    call.start(metadata, this as Parameters<LowLevelCall["start"]>[1]);
    call.startRead();
    call.sendMessageWithContext({}, message);
    call.halfClose();
  }

  /** The channel is being closed. */
  cut(): void {
    this.#cancelWith({ kind: "closed", delivered: this.#watch.handedOver });
  }

  /** The signal aborted: the call is its own listener, which saves a closure for each. */
  handleEvent(): void {
    const kind = isTimeout(this.#request.signal.reason) ? "late" : "cancelled";
    this.#cancelWith({ kind, delivered: this.#watch.handedOver });
  }

  onReceiveMetadata(headers: Metadata): void {
    this.#headers = headers;
  }

  onReceiveMessage(message: Buffer): void {
    this.#messages.push(message);
    // A second one would be an error, and is only seen by who asks for it.
    if (this.#messages.length === 1) this.#call?.startRead();
    else this.#cancelWith(this.#verdict({ code: grpcStatus.OK }));
  }

  onReceiveStatus(status: StatusObject): void {
    if (this.#end !== undefined) this.#settle(this.#verdict(status));
  }

  #verdict(status: Pick<StatusObject, "code"> & Partial<StatusObject>): UnaryEnd {
    const { now, receiveLimit } = this.#setting;
    return verdictOf(status as StatusObject, {
      handedOver: this.#watch.handedOver,
      headers: this.#headers,
      messages: this.#messages,
      isLate: now() - this.startedAt >= this.#request.timeoutMs - DEADLINE_SLACK_MS,
      receiveLimit,
    });
  }

  #giveUpConnecting(): void {
    if (!this.#watch.handedOver) this.#cancelWith({ kind: "undelivered", words: "it does not answer" });
  }

  #cancelWith(end: UnaryEnd): void {
    this.#settle(end);
    this.#call?.cancelWithStatus(grpcStatus.CANCELLED, "given up");
  }

  #settle(end: UnaryEnd): void {
    clearTimeout(this.#connectTimer);
    this.#request.signal.removeEventListener("abort", this);
    this.#end?.(end);
    this.#end = undefined;
  }
}
