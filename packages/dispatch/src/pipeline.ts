import type {
  Call,
  CallObserver,
  Clock,
  DelegatedCalls,
  Envelope,
  PathLanguage,
  Random,
  RegistryStore,
  SchemaCompiler,
  ScriptRunner,
} from "@toolgate/core";
import { type Backends, invoke } from "./invoke.ts";
import { Line } from "./stage.ts";
import { attemptTimeout } from "./stages/attempt-timeout.ts";
import { authorize } from "./stages/authorize.ts";
import { availability } from "./stages/availability.ts";
import { type BatchPorts, batch } from "./stages/batch.ts";
import { type CachePorts, cache } from "./stages/cache.ts";
import { coerce } from "./stages/coerce.ts";
import { defaults } from "./stages/defaults.ts";
import { delegate } from "./stages/delegate.ts";
import { envelope } from "./stages/envelope.ts";
import { type LimitPorts, limits } from "./stages/limits.ts";
import { type LoopGuardPorts, loopGuard } from "./stages/loop-guard.ts";
import { normalize } from "./stages/normalize.ts";
import { observe } from "./stages/observe.ts";
import { readArguments } from "./stages/read-arguments.ts";
import { resolve } from "./stages/resolve.ts";
import { retry } from "./stages/retry.ts";
import { validate } from "./stages/validate.ts";

/** What the line needs from outside; every one a port of the core. */
export interface DispatchPorts {
  readonly registry: Pick<RegistryStore, "snapshot">;
  readonly backends: Backends;
  readonly schemas: SchemaCompiler;
  readonly paths: PathLanguage;
  readonly scripts: ScriptRunner;
  readonly observer: CallObserver;
  readonly limits: LimitPorts;
  readonly clock: Clock;
  readonly random: Random;
  /** Unset: nobody says how a call ended that was handed back. */
  readonly delegated?: DelegatedCalls | undefined;
  /** Unset: nobody looks for loops. */
  readonly loops?: LoopGuardPorts | undefined;
  readonly cache: Omit<CachePorts, "clock">;
  readonly batch: Omit<BatchPorts, "clock">;
}

export interface Dispatcher {
  /** Runs a call. Always answers an envelope, and never rejects. */
  call(call: Call): Promise<Envelope>;
  /** The names of the stages, outermost first. */
  readonly stages: readonly string[];
}

/** The way of a call. The order is the design: each line says why its stage stands there. */
export function createDispatcher(ports: DispatchPorts): Dispatcher {
  const line = Line.start<Call, Envelope>()
    // Outermost, so that it sees the final envelope of every call, however it ended.
    .add(observe(ports))
    // The one catch-all: inside it stages throw, outside it there are only envelopes.
    .add(envelope(ports.clock))
    // From here on the tool is known; every later stage reads it.
    .add(resolve(ports.registry))
    // Before anything is told about the tool: who may not call it learns no more.
    .add(authorize())
    // Before the arguments are looked at: a tool that is down is refused whatever they are.
    .add(availability())
    // Text becomes a value once; from here on there are arguments.
    .add(readArguments())
    // First of all that changes arguments, so that everything else sees what the tool will get. A null that is left out
    // here gets its default next.
    .add(coerce())
    // Before the check, so that a default is checked like any other value.
    .add(defaults(ports.schemas))
    // After all that changes arguments: what passes here is what the backend gets.
    .add(validate(ports.schemas))
    // After all that may refuse a call for its own sake: what was refused has not run, and counts for no loop.
    .addIf(ports.loops && loopGuard(ports.loops))
    // Tools that the agent itself runs leave here, checked like any other.
    .add(delegate(ports.delegated))
    // After all that refuses for free: what gets no further costs no quota. One unit a call, whatever happens inside.
    .add(limits(ports.limits, ports.clock))
    // After all that may refuse a call: nobody is given a kept result that they may not have.
    .add(cache({ ...ports.cache, clock: ports.clock }))
    // Outside the attempts: a bad script or mapping is not the backend's failure and is not tried again.
    .add(normalize(ports))
    // Inside the mapping, which each call has done to its own part of the answer; outside the attempts, which are made
    // for all that go together.
    .add(batch({ ...ports.batch, clock: ports.clock }))
    // Around the attempt alone, so that one call is one unit to everything before, however often it is tried.
    .add(retry(ports))
    // Innermost: it bounds one attempt, not the time spent waiting for one.
    .add(attemptTimeout(ports.clock));
  return { call: line.end(invoke(ports.backends, ports.clock)), stages: line.names };
}
