import { Channel, type ChannelOptions, connectivityState, credentials } from "@grpc/grpc-js";
import type { AddressGuard } from "../address-guard.ts";
import { TrackedCredentials } from "./sockets.ts";
import { UnaryCall, type UnaryRequest } from "./unary-call.ts";
import type { UnaryEnd } from "./verdict.ts";

/** Where a channel leads. */
export interface ChannelTarget {
  /** "host:port"; see `problemOfAddress`. */
  readonly address: string;
  readonly tls: boolean;
  /** The most bytes of one message; see `receiveLimitFor`. */
  readonly receiveLimit: number;
}

export interface ChannelSettings {
  /** Bound for making a connection, in milliseconds; 2,000 where unsaid. */
  readonly connectTimeoutMs?: number;
  /** Which addresses may be connected to; all where unsaid. Asked for every connection, before a byte is sent. */
  readonly allowAddress?: AddressGuard;
  /** Certificates of authorities to trust, in PEM, in place of the system's. */
  readonly ca?: string;
  /** Milliseconds on a clock that never goes back; the process's where unsaid. */
  readonly now?: () => number;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 2_000;
/** A connection that no call has used for this long is closed. */
const IDLE_MS = 5 * 60_000;

const OPTIONS: ChannelOptions = {
  "grpc.primary_user_agent": "toolgate",
  // Nothing is sent twice but by whoever knows the tool.
  "grpc.enable_retries": 0,
  // No configuration of ours is in the DNS.
  "grpc.service_config_disable_resolution": 1,
  // The environment's proxy settings are not read.
  "grpc.enable_http_proxy": 0,
  "grpc.enable_channelz": 0,
  "grpc.client_idle_timeout_ms": IDLE_MS,
  // A channel that is given up takes its connections along.
  "grpc.use_local_subchannel_pool": 1,
  // With the default of 64 KiB a large answer would wait for the network many times.
  "grpc-node.flow_control_window": 1024 * 1024,
};

/** A connection (made when first needed) and the calls on it. */
interface Line {
  readonly channel: Channel;
  readonly credentials: TrackedCredentials;
  readonly calls: Set<UnaryCall>;
}

/**
 * Reaches one address. A connection that failed is given up whole, so that
 * the next call resolves the name again and tries at once; grpc-js would wait,
 * longer each time, and try on when nobody asks.
 */
export class GrpcChannel {
  readonly #target: ChannelTarget;
  readonly #settings: ChannelSettings;
  readonly #now: () => number;
  readonly #lines = new Set<Line>();
  /** The one that takes calls; the others are closed when their last one ends. */
  #line: Line | undefined;
  #heardAt = 0;
  #usedAt: number;
  #connectionsMade = 0;
  #closed = false;

  constructor(target: ChannelTarget, settings: ChannelSettings = {}) {
    this.#target = target;
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
    this.#usedAt = this.#now();
  }

  /** Calls that have not ended. */
  get calls(): number {
    let count = 0;
    for (const line of this.#lines) count += line.calls.size;
    return count;
  }

  /** For how many milliseconds there has been no call. */
  get idleMs(): number {
    return this.calls > 0 ? 0 : this.#now() - this.#usedAt;
  }

  get isConnected(): boolean {
    return this.#line?.channel.getConnectivityState(false) === connectivityState.READY;
  }

  /** How many connections it has made or begun to make. */
  get connectionsMade(): number {
    return this.#connectionsMade;
  }

  /** Makes one call; one that a live server refused unread is made once more. Never rejects. */
  async call(request: UnaryRequest): Promise<UnaryEnd> {
    const end = await this.#attempt(request);
    return end.kind === "undelivered" && end.refused === true && !request.signal.aborted ? this.#attempt(request) : end;
  }

  /** Makes a connection where there is none, for later calls. Says whether there is one. */
  async connect(): Promise<boolean> {
    if (this.#closed) return false;
    const line = this.#open();
    const { channel } = line;
    const deadline = Date.now() + this.#connectTimeoutMs;
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.READY) return true;
      if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN) break;
      const changed = await new Promise<boolean>((resolve) =>
        channel.watchConnectivityState(state, deadline, (error) => resolve(error === undefined)),
      );
      if (!changed) break;
    }
    this.#retire(line);
    return false;
  }

  /** Ends all calls. */
  close(): void {
    this.#closed = true;
    this.#line = undefined;
    for (const line of this.#lines) {
      for (const call of line.calls) call.cut();
      end(line);
    }
    this.#lines.clear();
  }

  get #connectTimeoutMs(): number {
    return this.#settings.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
  }

  async #attempt(request: UnaryRequest): Promise<UnaryEnd> {
    if (this.#closed) return { kind: "closed", delivered: false };
    const line = this.#open();
    const connectTimeoutMs = this.isConnected ? undefined : this.#connectTimeoutMs;
    const { receiveLimit } = this.#target;
    const call = new UnaryCall(request, { receiveLimit, connectTimeoutMs, now: this.#now });
    line.calls.add(call);
    call.start(line.channel);
    const end = await call.ended;
    line.calls.delete(call);
    this.#usedAt = this.#now();
    if (end.kind === "answered" || end.kind === "status") this.#heardAt = this.#usedAt;
    if (this.#isUseless(end, call)) this.#retire(line);
    else if (line !== this.#line) this.#closeWhenUnused(line);
    return end;
  }

  /** Also a connection over which nothing has come for a whole call: it may be dead, and would only be found so late. */
  #isUseless(end: UnaryEnd, call: UnaryCall): boolean {
    if (end.kind === "undelivered") return end.refused !== true;
    return end.kind === "late" && (!end.delivered || this.#heardAt < call.startedAt);
  }

  #open(): Line {
    if (this.#line !== undefined) return this.#line;
    const { address, tls, receiveLimit } = this.#target;
    const secrecy = tls ? credentials.createSsl(bufferOf(this.#settings.ca)) : credentials.createInsecure();
    const onSocket = () => {
      this.#connectionsMade += 1;
    };
    const tracked = new TrackedCredentials(secrecy, { onSocket, allowAddress: this.#settings.allowAddress });
    const options = { ...OPTIONS, "grpc.max_receive_message_length": receiveLimit };
    const channel = new Channel(`dns:${address}`, tracked, options);
    const line: Line = { channel, credentials: tracked, calls: new Set() };
    this.#line = line;
    this.#lines.add(line);
    return line;
  }

  #retire(line: Line): void {
    if (this.#line === line) this.#line = undefined;
    this.#closeWhenUnused(line);
  }

  #closeWhenUnused(line: Line): void {
    if (line.calls.size === 0 && this.#lines.delete(line)) end(line);
  }
}

function end({ channel, credentials: tracked }: Line): void {
  channel.close();
  tracked.endSockets();
}

function bufferOf(pem: string | undefined): Buffer | null {
  return pem === undefined ? null : Buffer.from(pem);
}
