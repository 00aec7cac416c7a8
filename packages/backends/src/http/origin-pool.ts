import { type Connector, Pool } from "./undici.ts";

/** Something that waits for a connection and then uses it. */
export interface Sender {
  /** Called once, when a place is free; the place is held until `release`. */
  send(pool: OriginPool): void;
  /** Called in place of `send` when the pool closes first. */
  refuse(): void;
}

export interface PoolOptions {
  /** Connections to one origin. */
  readonly connections: number;
  readonly connect: Connector;
}

/**
 * The connections to one origin. At most `connections` requests are handed to
 * undici at a time; the rest wait here, where one that is given up leaves
 * nothing behind.
 */
export class OriginPool {
  readonly dispatcher: Pool;
  readonly connections: number;
  readonly #waiting = new Set<Sender>();
  #inUse = 0;

  constructor(origin: string, options: PoolOptions) {
    this.connections = options.connections;
    this.dispatcher = new Pool(origin, {
      connections: options.connections,
      connect: options.connect,
      // Never more than one request under way on a connection, so undici repeats none.
      pipelining: 1,
      // The caller's signal bounds the time: undici's own timers are coarse, and doubled work.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  get idle(): boolean {
    return this.#inUse === 0 && this.#waiting.size === 0;
  }

  enter(sender: Sender): void {
    if (this.#inUse >= this.connections) {
      this.#waiting.add(sender);
      return;
    }
    this.#inUse += 1;
    sender.send(this);
  }

  /** Takes a sender out that has not been called yet. */
  leave(sender: Sender): void {
    this.#waiting.delete(sender);
  }

  /** The connection that a sender used is free again. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inUse -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.send(this);
  }

  async close(): Promise<void> {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const sender of waiting) sender.refuse();
    await this.dispatcher.destroy();
  }
}

/** Beyond this many origins, those that are idle are given up when a new one comes. */
const MANY_ORIGINS = 256;

/** The pools by origin, made when first asked for. */
export class OriginPools {
  readonly #pools = new Map<string, OriginPool>();
  readonly #options: PoolOptions;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Of each pool. */
  get connections(): number {
    return this.#options.connections;
  }

  get closed(): boolean {
    return this.#closed;
  }

  for(origin: string): OriginPool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    if (this.#pools.size >= MANY_ORIGINS) this.#dropIdle();
    const pool = new OriginPool(origin, this.#options);
    this.#pools.set(origin, pool);
    return pool;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #dropIdle(): void {
    for (const [origin, pool] of this.#pools) {
      if (!pool.idle) continue;
      this.#pools.delete(origin);
      void pool.close();
    }
  }
}
