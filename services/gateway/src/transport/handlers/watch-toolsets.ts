import { create } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import {
  type Tool as ToolMessage,
  WatchHeartbeatSchema,
  WatchResetSchema,
  WatchSyncedSchema,
  type WatchToolsetsRequest,
  type WatchToolsetsResponse,
} from "@toolgate/contract";
import { type Clock, EMPTY_SNAPSHOT, mayCall, type Snapshot, type ToolsetEvent } from "@toolgate/core";
import type { SnapshotFeed, Step } from "@toolgate/registrar";
import { watchEvent, watchMessage } from "../convert/watch.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";

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
    const wanted = new Set(request.toolsets);
    const resumed = recall(request, feed);
    if (request.fromGeneration !== undefined && resumed === undefined) yield reset(feed);
    const first = feed.step(resumed ?? EMPTY_SNAPSHOT);
    yield* eventsFor(first, feed.epoch, wanted, context);
    yield synced(first.snapshot, feed.epoch);
    for (let known = first.snapshot; !context.signal.aborted; ) {
      if (ports.draining.aborted) throw stopping();
      const step = feed.step(known);
      yield* eventsFor(step, feed.epoch, wanted, context);
      known = step.snapshot;
      // While the messages were taken more may have happened.
      if (feed.step(known).events.length > 0) continue;
      const woken = await nextWake({ ...ports, heartbeatMs, gone: context.signal });
      if (woken === "heartbeat") yield heartbeat(known, feed.epoch);
    }
  };
}

function recall({ fromGeneration, epoch }: WatchToolsetsRequest, feed: SnapshotFeed): Snapshot | undefined {
  return fromGeneration === undefined ? undefined : feed.recall(Number(fromGeneration), epoch);
}

function reset(feed: SnapshotFeed): WatchToolsetsResponse {
  return watchMessage(EMPTY_SNAPSHOT, feed.epoch, { case: "reset", value: create(WatchResetSchema) });
}

function synced(snapshot: Snapshot, epoch: string): WatchToolsetsResponse {
  return watchMessage(snapshot, epoch, { case: "synced", value: create(WatchSyncedSchema) });
}

function heartbeat(snapshot: Snapshot, epoch: string): WatchToolsetsResponse {
  return watchMessage(snapshot, epoch, { case: "heartbeat", value: create(WatchHeartbeatSchema) });
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

// Watchers at the same place hear the same messages: they are made once.
const shared = new WeakMap<Step, readonly WatchToolsetsResponse[]>();

function* eventsFor(step: Step, epoch: string, wanted: ReadonlySet<string>, context: RequestContext) {
  let messages = shared.get(step);
  if (messages === undefined) {
    messages = step.events.map((event) => watchEvent(event, step.snapshot, epoch));
    shared.set(step, messages);
  }
  for (const [place, event] of step.events.entries()) {
    if (wanted.size > 0 && !isWanted(event, step, wanted)) continue;
    yield forCaller(messages[place] as WatchToolsetsResponse, step.snapshot, context);
  }
}

function isWanted({ toolset }: ToolsetEvent, { before, snapshot }: Step, wanted: ReadonlySet<string>): boolean {
  const aliases = (snapshot.toolsets.get(toolset) ?? before.toolsets.get(toolset))?.aliases ?? [];
  return wanted.has(toolset) || aliases.some((alias) => wanted.has(alias));
}

/** Leaves out the tools that this caller may not call, as ListTools does. */
function forCaller(
  message: WatchToolsetsResponse,
  snapshot: Snapshot,
  { caller }: RequestContext,
): WatchToolsetsResponse {
  if (caller.scopes === undefined) return message;
  const allowed = (tools: ToolMessage[]) =>
    tools.filter(({ name }) => mayCall(caller, snapshot.tools.get(name)?.tool ?? { scopes: [] }));
  const { event } = message;
  if (event.case === "added") {
    return { ...message, event: { case: "added", value: { ...event.value, tools: allowed(event.value.tools) } } };
  }
  if (event.case === "changed") {
    const value = { ...event.value, changedTools: allowed(event.value.changedTools) };
    return { ...message, event: { case: "changed", value } };
  }
  if (event.case === "healthChanged") {
    const value = { ...event.value, changedTools: allowed(event.value.changedTools) };
    return { ...message, event: { case: "healthChanged", value } };
  }
  return message;
}

interface Waiting extends WatchPorts {
  readonly heartbeatMs: number;
  readonly gone: AbortSignal;
}

function nextWake({ feed, clock, draining, heartbeatMs, gone }: Waiting): Promise<"heartbeat" | "other"> {
  const { promise, resolve } = Promise.withResolvers<"heartbeat" | "other">();
  const wake = () => resolve("other");
  const timer = clock.schedule(heartbeatMs, () => resolve("heartbeat"));
  const unsubscribe = feed.subscribe(wake);
  for (const signal of [draining, gone]) {
    if (signal.aborted) wake();
    signal.addEventListener("abort", wake, { once: true });
  }
  return promise.finally(() => {
    timer.cancel();
    unsubscribe();
    for (const signal of [draining, gone]) signal.removeEventListener("abort", wake);
  });
}
