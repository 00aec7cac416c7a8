import {
  type CheckSpec,
  type Command,
  checkKey,
  type Probe,
  type ProbeResult,
  type RegistryStore,
} from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { HealthProber } from "../src/health-prober.ts";
import { aCheck } from "./offers.ts";

export const OK: ProbeResult = { ok: true };
export const DOWN: ProbeResult = { ok: false, reason: "it is down" };
export type Answer = (name: string, signal: AbortSignal) => Promise<ProbeResult>;

interface World {
  readonly answer?: Answer;
  readonly random?: () => number;
  readonly onError?: (error: unknown) => void;
  /** In place of the store's own, for the prober alone. */
  readonly apply?: RegistryStore["apply"];
}

/** A prober over an empty registry; its probe of kind "env" answers as the test says, and counts. */
export function openProber({ answer = async () => OK, random = () => 0.5, onError, apply }: World = {}) {
  const clock = createFakeClock();
  const store = createMemoryRegistryStore({ epoch: "test" });
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const probe: Probe = {
    kind: "env",
    probe(check, signal) {
      const name = String(check.settings.name);
      asked.push(name);
      signals.push(signal);
      return answer(name, signal);
    },
  };
  const seen = apply === undefined ? store : { ...store, apply };
  const ports = { store: seen, clock, probes: new Map([["env", probe]]), random };
  const prober = new HealthProber(onError === undefined ? ports : { ...ports, onError });
  const health = (name: string) => store.snapshot().health.get(checkKey(aCheck(name)));
  return { asked, clock, health, prober, signals, store };
}

/** Registers a tool for each check, under a lease of its own. */
export const toolFor = (name: string, check: CheckSpec = aCheck(name)) =>
  aRegister({ lease: name, toolsets: [anOffer({ tools: [aTool({ name, check })] })] });
export const leave = (name: string): Command => ({
  type: "deregister",
  leaseId: name,
  registrantId: "alice",
  tools: [],
});
export const never: Answer = () => new Promise(() => {});
/** As a good probe does: it ends when it is told to. */
export const untilAborted: Answer = (_name, signal) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ ok: false, reason: "told to end" }), { once: true });
  });
