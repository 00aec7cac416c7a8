import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { rssMiB } from "../process/accounting.ts";
import { type Gateway, startGateway } from "../servers/gateway.ts";

export interface Memory {
  readonly tools: number;
  /** Resident, as it stands: with garbage that nothing has collected yet. */
  readonly rssMiB: number;
  /** Resident after a full collection. */
  readonly collectedRssMiB: number;
  /** JavaScript's heap after a full collection. */
  readonly heapMiB: number;
}

/** Whatever was going on has ended by then. */
const IDLE_MS = 1_000;
const MIB = 1024 * 1024;

/** An idle gateway's memory. */
export async function readMemory(gateway: Gateway, tools: number): Promise<Memory> {
  await sleep(IDLE_MS);
  const before = rssMiB(gateway.pid);
  const heapBytes = await gateway.collect();
  return { tools, rssMiB: before, collectedRssMiB: rssMiB(gateway.pid), heapMiB: heapBytes / MIB };
}

/** The quickstart's configuration, as it is shipped, on other ports: resident memory when idle, in MiB. */
export async function quickstartMemory(bench: Bench): Promise<number> {
  const gateway = await startGateway(bench);
  await sleep(IDLE_MS);
  const rss = rssMiB(gateway.pid);
  await bench.children.end(gateway.child.process);
  return rss;
}
