import {
  addTrail,
  type CachedResult,
  type CacheObserver,
  type CachePolicy,
  type CacheVerdict,
  type CallTrail,
  type Clock,
  canonicalJson,
  type Data,
  type Digest,
  type JsonValue,
  newTrail,
  type Outcome,
  parseJson,
  type ReadyCall,
  type ResultCache,
  stringifyJson,
  type Tool,
} from "@toolgate/core";
import { SharedCalls } from "../shared-calls.ts";
import type { Stage } from "../stage.ts";

export interface CachePorts {
  readonly results: ResultCache;
  /** How a tool's results may be kept; `undefined`: not at all. Asked once for each tool. */
  readonly policy: (tool: Tool) => CachePolicy | undefined;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly observer: CacheObserver;
}

/** What came of a call that several may share. */
interface Flown {
  readonly outcome: Outcome;
  readonly trail: CallTrail;
}

type Next = (call: ReadyCall) => Promise<Outcome>;

/** Gives again what an equal call was answered, and lets equal calls under way share one answer. Errors are not kept. */
export function cache(ports: CachePorts): Stage<ReadyCall, Outcome> {
  const policies = new WeakMap<Tool, CachePolicy | "none">();
  const shared = new SharedCalls<Flown>(ports.clock);
  const policyOf = (tool: Tool) => {
    const known = policies.get(tool) ?? ports.policy(tool) ?? "none";
    policies.set(tool, known);
    return known;
  };
  return {
    name: "cache",
    run(call, next) {
      const policy = policyOf(call.entry.tool);
      if (policy === "none") return next(call);
      if (call.cache === "bypass") {
        ports.observer(call.entry.tool.name, "bypass");
        return next(call);
      }
      return serve({ ports, shared, policy }, call, next);
    },
  };
}

interface Serving {
  readonly ports: CachePorts;
  readonly shared: SharedCalls<Flown>;
  readonly policy: CachePolicy;
}

async function serve({ ports, shared, policy }: Serving, call: ReadyCall, next: Next): Promise<Outcome> {
  const { results, observer, clock, digest } = ports;
  const key = keyOf(call, policy, digest);
  const tell = (verdict: CacheVerdict) => observer(call.entry.tool.name, verdict);
  /** Runs the call with a trail of its own: the caller may be gone, and its envelope sent, before it ends. */
  const fly = async (own: ReadyCall, trail: CallTrail): Promise<Flown> => {
    const outcome = await next({ ...own, trail });
    const { value, text = stringifyJson(value) } = outcome.data;
    const { warnings, truncated } = trail;
    // Nobody waits for the store.
    results.set(key, { text, warnings, truncated, storedAt: clock.now() }, policy.ttlMs).catch(() => tell("failed"));
    return { outcome, trail };
  };
  if (call.cache === "refresh") {
    tell("refresh");
    return (await fly(call, call.trail)).outcome;
  }
  const found = await results.get(key).catch(() => void tell("failed"));
  if (found !== undefined) {
    tell("hit");
    return reuse(call, found, clock.now());
  }
  tell(shared.has(key) ? "shared" : "miss");
  let own: CallTrail | undefined;
  try {
    const flown = await shared.run(key, call, (started) => {
      own = newTrail();
      return fly(started, own);
    });
    if (flown.trail !== own) addTrail(call.trail, { ...newTrail(), ...resultNotes(flown.trail) });
    return flown.outcome;
  } finally {
    if (own !== undefined) addTrail(call.trail, own);
  }
}

/** What a trail says of the result, and not of how it was got. */
function resultNotes({ warnings, truncated }: CallTrail): Pick<CallTrail, "warnings" | "truncated"> {
  return { warnings, truncated };
}

function reuse({ trail }: ReadyCall, found: CachedResult, now: number): Outcome {
  trail.cached = true;
  trail.cacheAgeMs = Math.max(0, now - found.storedAt);
  trail.truncated = found.truncated;
  trail.warnings.push(...found.warnings);
  return { kind: "success", data: new KeptData(found.text) };
}

/** A kept result; made a value only for those who look at it. */
class KeptData implements Data {
  readonly text: string;
  #value: JsonValue | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get value(): JsonValue {
    this.#value ??= parseJson(this.text);
    return this.#value;
  }
}

/** Equal keys, equal answers: the tool as it is now, the arguments, what is wanted of the result, and who asks. */
function keyOf(call: ReadyCall, { shared }: CachePolicy, digest: Digest): string {
  const { tool } = call.entry;
  const asked = { args: call.args, raw: call.raw, fields: [...call.fields] };
  const caller = shared ? "" : call.caller.id;
  return digest(canonicalJson([tool.name, tool.revision, shared, caller, asked]));
}
