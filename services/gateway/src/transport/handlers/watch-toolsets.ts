import { create } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import {
  WatchHeartbeatSchema,
  WatchResetSchema,
  WatchSyncedSchema,
  type WatchToolsetsRequest,
  type WatchToolsetsResponse,
} from "@toolgate/contract";
import { type Clock, EMPTY_SNAPSHOT, type Snapshot } from "@toolgate/core";
import type { SnapshotFeed, Step } from "@toolgate/registrar";
import { watchEvent, watchMessage } from "../convert/watch.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";
import { eventsInView, showsTool, viewKey, type WatchView } from "./watch-view.ts";

const DEFAULT_HEARTBEAT_MS = 15_000;
const MIN_HEARTBEAT_MS = 1_000;
const MAX_HEARTBEAT_MS = 300_000;

export interface WatchPorts {
  readonly feed: SnapshotFeed;
  readonly clock: Clock;
  /** Aborted when the gateway drains. */
  readonly draining: AbortSignal;
}

/**
 * WatchToolsets as a generator: it makes the next messages only when the last
 * ones were taken, and then tells the newest state, so a slow reader costs no
 * memory. Ends when the caller goes; throws UNAVAILABLE when the gateway stops.
 */
export function watchToolsetsHandler(ports: WatchPorts) {
  return async function* watch(
    request: WatchToolsetsRequest,
    context: RequestContext,
  ): AsyncGenerator<WatchToolsetsResponse> {
    const { feed } = ports;
    const heartbeatMs = heartbeatOf(request);
    const messagesFor = messagesInView({ caller: context.caller, toolsets: request.toolsets }, feed.epoch);
    const bell: Bell = { ring: () => {} };
    // For the whole watch, so that the feed also counts a reader that takes its time.
    const unsubscribe = feed.subscribe(() => bell.ring());
    try {
      const resumed = recall(request, feed);
      if (request.fromGeneration !== undefined && resumed === undefined) yield reset(feed);
      const first = feed.step(resumed ?? EMPTY_SNAPSHOT);
      yield* messagesFor(first);
      yield synced(first.snapshot, feed.epoch);
      yield* changesAfter(first.snapshot, { ...ports, bell, messagesFor, heartbeatMs, gone: context.signal });
    } finally {
      unsubscribe();
    }
  };
}

/** Rung at each change; whoever waits for one sets what that does. */
interface Bell {
  ring: () => void;
}

interface Watcher extends WatchPorts {
  readonly bell: Bell;
  readonly messagesFor: (step: Step) => readonly WatchToolsetsResponse[];
  readonly heartbeatMs: number;
  readonly gone: AbortSignal;
}

async function* changesAfter(start: Snapshot, watcher: Watcher): AsyncGenerator<WatchToolsetsResponse> {
  const { feed, clock, draining, gone, messagesFor, heartbeatMs } = watcher;
  let known = start;
  let lastAt = clock.monotonic();
  while (!gone.aborted) {
    if (draining.aborted) throw stopping();
    const step = feed.step(known);
    const messages = messagesFor(step);
    yield* messages;
    known = step.snapshot;
    if (messages.length > 0) lastAt = clock.monotonic();
    // While the messages were taken more may have happened.
    if (feed.step(known).events.length > 0) continue;
    // What wakes a watcher need not be for its eyes: then its heartbeat is due as before.
    if ((await nextWake(watcher, lastAt + heartbeatMs)) === "other") continue;
    yield heartbeat(known, feed.epoch);
    lastAt = clock.monotonic();
  }
}

function recall({ fromGeneration, epoch }: WatchToolsetsRequest, feed: SnapshotFeed): Snapshot | undefined {
  return fromGeneration === undefined ? undefined : feed.recall(Number(fromGeneration), epoch);
}

function reset({ epoch }: SnapshotFeed): WatchToolsetsResponse {
  return watchMessage({ generation: 0, epoch }, { case: "reset", value: create(WatchResetSchema) });
}

function synced({ generation }: Snapshot, epoch: string): WatchToolsetsResponse {
  return watchMessage({ generation, epoch }, { case: "synced", value: create(WatchSyncedSchema) });
}

function heartbeat({ generation }: Snapshot, epoch: string): WatchToolsetsResponse {
  return watchMessage({ generation, epoch }, { case: "heartbeat", value: create(WatchHeartbeatSchema) });
}

function stopping(): DoorError {
  return new DoorError("UNAVAILABLE", "The gateway is stopping. Watch again from the last generation.");
}

function heartbeatOf({ heartbeatInterval }: WatchToolsetsRequest): number {
  if (heartbeatInterval === undefined) return DEFAULT_HEARTBEAT_MS;
  const ms = durationMs(heartbeatInterval);
  if (ms >= MIN_HEARTBEAT_MS && ms <= MAX_HEARTBEAT_MS) return ms;
  throw new DoorError("INVALID_ARGUMENT", `heartbeat_interval must be 1 s to 5 min, not ${ms / 1000} s.`);
}

// Watchers at the same place with the same view hear the same messages: they are made once.
const shared = new WeakMap<Step, Map<string, readonly WatchToolsetsResponse[]>>();

function messagesInView(view: WatchView, epoch: string): (step: Step) => readonly WatchToolsetsResponse[] {
  const key = viewKey(view);
  return (step) => {
    const views = shared.get(step) ?? new Map<string, readonly WatchToolsetsResponse[]>();
    shared.set(step, views);
    const messages = views.get(key) ?? messagesOf(step, view, epoch);
    views.set(key, messages);
    return messages;
  };
}

function messagesOf(step: Step, view: WatchView, epoch: string): readonly WatchToolsetsResponse[] {
  const { before, snapshot } = step;
  const shows = (tool: string) => showsTool(view, snapshot, tool);
  const events = eventsInView(step, view);
  return events.map((event, place) => {
    // A reader that is cut off between two events of a step must hear of both again, so only the
    // last one carries the new generation. A first snapshot is whole with its `synced`, not before.
    const isWhole = place === events.length - 1 || before === EMPTY_SNAPSHOT;
    const { generation } = isWhole ? snapshot : before;
    return watchMessage({ generation, epoch }, watchEvent(event, snapshot, shows));
  });
}

function nextWake({ bell, clock, draining, gone }: Watcher, heartbeatAt: number): Promise<"heartbeat" | "other"> {
  const { promise, resolve } = Promise.withResolvers<"heartbeat" | "other">();
  const wake = () => resolve("other");
  const timer = clock.schedule(Math.max(0, heartbeatAt - clock.monotonic()), () => resolve("heartbeat"));
  bell.ring = wake;
  for (const signal of [draining, gone]) {
    if (signal.aborted) wake();
    signal.addEventListener("abort", wake, { once: true });
  }
  return promise.finally(() => {
    timer.cancel();
    for (const signal of [draining, gone]) signal.removeEventListener("abort", wake);
  });
}
