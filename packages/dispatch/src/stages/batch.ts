import {
  addTrail,
  type BatchObserver,
  type BatchSpec,
  batchItems,
  type CallTrail,
  type Clock,
  callerGone,
  canonicalJson,
  isIdempotent,
  type JsonValue,
  newTrail,
  parseJson,
  type ReadyCall,
  type Reply,
  type Share,
  splitAnswer,
  type Tool,
  ToolgateError,
  withArguments,
} from "@toolgate/core";
import { deadlineOf, Flight } from "../flight.ts";
import type { Stage } from "../stage.ts";

export interface BatchPorts {
  readonly clock: Clock;
  /** Whether the caller reaches the tool's backend: only calls of one caller go together then. */
  readonly isPrivate: (tool: Tool) => boolean;
  readonly observer: BatchObserver;
}

type Next = (call: ReadyCall) => Promise<Reply>;

interface Member {
  readonly call: ReadyCall;
  readonly items: readonly JsonValue[];
  readonly joinedAt: number;
}

/** What came of the one call, and the trail it left. */
interface Landed {
  readonly shares: ReadonlyMap<ReadyCall, Share | Reply | Error>;
  readonly trail: CallTrail;
}

/**
 * Lets calls of one tool that come within a short time go as one call of the
 * backend, for tools that say so, and gives each its own part of the answer.
 * What the tool says of one item fails only the call that asked for it.
 */
export function batch(ports: BatchPorts): Stage<ReadyCall, Reply> {
  const open = new WeakMap<Tool, Map<string, Batch>>();
  return {
    name: "batch",
    run(call, next) {
      const { tool } = call.entry;
      const { batch: spec } = tool;
      const items = spec === undefined ? undefined : batchItems(spec, call.args);
      if (spec === undefined || items === undefined || mustGoAlone(call, spec, ports.clock)) return next(call);
      const batches = open.get(tool) ?? new Map<string, Batch>();
      open.set(tool, batches);
      const key = keyOf(call, spec, ports.isPrivate(tool));
      let joined = batches.get(key);
      if (joined !== undefined && !joined.hasRoom(items.length)) {
        joined.send();
        joined = undefined;
      }
      if (joined === undefined) {
        const created = new Batch({ ports, spec, tool, next, close: () => batches.delete(key) });
        batches.set(key, created);
        joined = created;
      }
      return joined.join(call, items);
    },
  };
}

/** A key of its own is for one delivery, and who has hardly any time left cannot wait for others. */
function mustGoAlone(call: ReadyCall, { windowMs }: BatchSpec, clock: Clock): boolean {
  const inHaste = deadlineOf(call) - clock.monotonic() <= 2 * windowMs;
  return call.idempotencyKey !== undefined || call.signal.aborted || inHaste;
}

/** Calls with equal keys may go together: they differ in nothing but the list. */
function keyOf({ args, caller }: ReadyCall, { param }: BatchSpec, isPrivate: boolean): string {
  return canonicalJson([isPrivate ? caller.id : "", { ...args, [param]: null }]);
}

interface BatchParts {
  readonly ports: BatchPorts;
  readonly spec: BatchSpec;
  readonly tool: Tool;
  readonly next: Next;
  /** Nothing joins any more. */
  readonly close: () => void;
}

/** Calls that go as one. It takes more until its window ends or it is full. */
class Batch {
  readonly #parts: BatchParts;
  readonly #flight: Flight<Landed>;
  readonly #landed = Promise.withResolvers<Landed>();
  readonly #window: { cancel(): void };
  readonly #members = new Set<Member>();
  #signal: AbortSignal | undefined;
  #items = 0;
  #sent = false;

  constructor(parts: BatchParts) {
    this.#parts = parts;
    const { clock } = parts.ports;
    this.#flight = new Flight({
      clock,
      start: (signal) => {
        this.#signal = signal;
        return this.#landed.promise;
      },
      // Each member waits by its own deadline; the attempts have the time of the last one.
      deadlineAt: Number.POSITIVE_INFINITY,
      onEmpty: () => this.#abandon(),
      delivered: () => this.#sent,
    });
    this.#window = clock.schedule(parts.spec.windowMs, () => this.send());
  }

  hasRoom(items: number): boolean {
    return this.#items + items <= this.#parts.spec.maxItems;
  }

  async join(call: ReadyCall, items: readonly JsonValue[]): Promise<Reply> {
    const member: Member = { call, items, joinedAt: this.#parts.ports.clock.monotonic() };
    this.#members.add(member);
    this.#items += items.length;
    if (this.#items === this.#parts.spec.maxItems) this.send();
    try {
      const { shares, trail } = await this.#flight.wait(call);
      addTrail(call.trail, trail);
      return replyOf(call, shares.get(call));
    } finally {
      // Who leaves before the others are sent is not sent with them.
      if (!this.#sent && this.#members.delete(member)) this.#items -= items.length;
    }
  }

  /** Ends the window. */
  send(): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#window.cancel();
    this.#parts.close();
    this.#run([...this.#members]).then(this.#landed.resolve, this.#landed.reject);
  }

  #abandon(): void {
    if (this.#sent) return;
    this.#sent = true;
    this.#window.cancel();
    this.#parts.close();
    this.#landed.reject(callerGone(this.#parts.tool, false));
  }

  async #run(members: readonly Member[]): Promise<Landed> {
    const { ports, spec, tool, next } = this.#parts;
    const trail = newTrail();
    const now = ports.clock.monotonic();
    for (const { call, joinedAt } of members) call.trail.queueMs += now - joinedAt;
    if (members.length > 1) ports.observer(tool.name, members.length);
    const call = this.#together(members, trail);
    let reply: Reply;
    try {
      reply = await next(call);
    } catch (error) {
      if (members.length > 1 && isOneItemsFault(tool, error)) return this.#oneByOne(members);
      // The attempts were made for all of them.
      for (const member of members) addTrail(member.call.trail, trail);
      throw error;
    }
    const split = splitReply(spec, tool, reply, members);
    return { trail, shares: new Map(members.map((member, place) => [member.call, split(place)])) };
  }

  #together(members: readonly Member[], trail: CallTrail): ReadyCall {
    const [first] = members as [Member];
    const { param } = this.#parts.spec;
    const { deadlineAt: _, ...call } =
      members.length === 1
        ? first.call
        : withArguments(first.call, { ...first.call.args, [param]: members.flatMap(({ items }) => items) });
    const deadlineAt = Math.max(...members.map((member) => deadlineOf(member.call)));
    return {
      ...call,
      trail,
      signal: this.#signal ?? call.signal,
      ...(Number.isFinite(deadlineAt) ? { deadlineAt } : {}),
    };
  }

  /** The list was refused as a whole. A second run is harmless, so each finds out by itself whether it was to blame. */
  async #oneByOne(members: readonly Member[]): Promise<Landed> {
    const answers = await Promise.all(
      members.map(async (member) => {
        const call = this.#together([member], member.call.trail);
        const answer = await this.#parts.next(call).catch((error: Error) => error);
        return [member, answer] as const;
      }),
    );
    const { spec, tool } = this.#parts;
    const shares = answers.map(([member, answer]) => {
      if (answer instanceof Error) return [member.call, answer] as const;
      return [member.call, attempt(() => splitReply(spec, tool, answer, [member])(0))] as const;
    });
    return { trail: newTrail(), shares: new Map(shares) };
  }
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

/** Whether a backend that answered refused the list, which one item alone may have made it do. */
function isOneItemsFault(tool: Tool, error: unknown): boolean {
  return isIdempotent(tool) && error instanceof ToolgateError && error.code === "TOOL_ERROR" && !error.retryable;
}

/** Each member's part of a reply. A call that went alone keeps an answer of whatever form. */
function splitReply(
  spec: BatchSpec,
  tool: Tool,
  reply: Reply,
  members: readonly Member[],
): (place: number) => Share | Reply {
  const alone = members.length === 1;
  const answer = readValue(tool, reply, alone);
  if (answer === undefined) return () => reply;
  const shares = splitAnswer(
    spec,
    answer,
    members.map(({ items }) => items),
  );
  if (typeof shares !== "string") {
    return (place) => {
      const share = shares[place] as Share;
      return alone && !("failure" in share) ? reply : share;
    };
  }
  if (alone) return () => reply;
  throw new ToolgateError(
    "RESULT_INVALID",
    `The answer of "${tool.name}" to ${members.length} calls together cannot be split: ${shares}. ` +
      "Its owner should look at the tool's batch.",
  );
}

function readValue(tool: Tool, reply: Reply, alone: boolean): JsonValue | undefined {
  if (reply.kind === "value") return reply.value;
  try {
    return parseJson(reply.text);
  } catch (cause) {
    if (alone) return undefined;
    throw new ToolgateError(
      "RESULT_INVALID",
      `The answer of "${tool.name}" to several calls together is not JSON and cannot be split.`,
      { cause },
    );
  }
}

function replyOf({ entry: { tool } }: ReadyCall, share: Share | Reply | Error | undefined): Reply {
  if (share === undefined) throw new Error(`A call of "${tool.name}" has no part in its batch.`);
  if (share instanceof Error) throw share;
  if ("kind" in share) return share;
  if ("failure" in share)
    throw new ToolgateError("TOOL_ERROR", `"${tool.name}" failed for this call: ${share.failure}`);
  return { kind: "value", value: share.value };
}
