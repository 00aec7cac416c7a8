import type { Encoding, ServerName } from "../calls/contender.ts";
import type { Catalogue } from "../measures/catalogue.ts";
import type { Soak } from "../measures/soak.ts";
import type { Starting } from "../measures/starting.ts";

/** One row of the comparison, over its rounds. */
export interface CallRow {
  readonly server: ServerName;
  readonly encoding: Encoding;
  readonly tool: string;
  /** The median, as are the latencies. */
  readonly callsPerSecond: number;
  /** Microseconds of the server's process; the lower quartile. */
  readonly cpuPerCall: number;
  /** CPU a call as a multiple of the forwarder's. */
  readonly timesForwarder?: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** One call at a time. */
  readonly aloneP50Ms?: number;
}

/** Everything that a run measured: what `--json` writes. */
export interface BenchResult {
  readonly machine: {
    readonly node: string;
    readonly cpu: string;
    readonly cores: number;
    /** The share of the machine that others used during the run, 0 to 1. */
    readonly neighbours: number;
  };
  readonly load: string;
  readonly rounds: number;
  readonly calls: readonly CallRow[];
  readonly catalogue: Catalogue;
  readonly starts: readonly Starting[];
  readonly quickstartMiB: number;
  /** Resident memory after each round. */
  readonly underLoad: readonly { readonly gatewayMiB: number; readonly forwarderMiB: number }[];
  readonly soak?: Soak;
  readonly targets: readonly TargetResult[];
}

export interface TargetResult {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}
