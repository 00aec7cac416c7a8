import type { Probe } from "@toolgate/core";
import { createEnvProbe } from "./env-probe.ts";
import { createHttpProbe } from "./http-probe.ts";
import { createTcpProbe } from "./tcp-probe.ts";

export { type ReadCheck, readEnvCheck, readHttpCheck, readTcpCheck } from "./check-specs.ts";
export { createEnvProbe, createHttpProbe, createTcpProbe };

/** The checks that every source may use, by kind: http, tcp and env. */
export function standardProbes(env: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, Probe> {
  const probes = [createHttpProbe(), createTcpProbe(), createEnvProbe(env)];
  return new Map(probes.map((probe) => [probe.kind, probe]));
}
