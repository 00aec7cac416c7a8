import { type ChannelSettings, type ChannelTarget, GrpcChannel } from "./channel.ts";

/** A channel that has had no call for this long is given up, and made again when one comes. */
const UNUSED_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 60_000;

/** The channels by where they lead, made when first asked for; tools share them. */
export class ChannelPool {
  readonly #channels = new Map<string, GrpcChannel>();
  readonly #settings: ChannelSettings;
  readonly #now: () => number;
  #sweptAt: number;
  #closed = false;

  constructor(settings: ChannelSettings = {}) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
    this.#sweptAt = this.#now();
  }

  get size(): number {
    return this.#channels.size;
  }

  for(target: ChannelTarget): GrpcChannel {
    const key = `${target.tls ? "tls" : "plain"} ${target.receiveLimit} ${target.address}`;
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const channel = new GrpcChannel(target, this.#settings);
    if (this.#closed) channel.close();
    else this.#channels.set(key, channel);
    this.#sweep();
    return channel;
  }

  close(): void {
    this.#closed = true;
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  /** Only when a channel is added: without new ones there is nothing that grows. */
  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    for (const [key, channel] of this.#channels) {
      if (channel.idleMs < UNUSED_MS) continue;
      this.#channels.delete(key);
      channel.close();
    }
  }
}
