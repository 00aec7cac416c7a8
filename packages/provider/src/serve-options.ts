import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type GatewayAddress, type HostPort, readGateway, readHostPort } from "./address.ts";
import { type ProviderLog, stderrLog } from "./log.ts";
import type { RefusedOutcome } from "./registration/outcome.ts";
import type { Check, Tool } from "./tool/tool.ts";

/** The life of a provider. A provider that lost its gateway is "connecting" again. */
export type ProviderState = "connecting" | "registered" | "draining" | "stopped";

export interface ServeOptions {
  /** "HOST:PORT", "http://HOST:PORT" or "https://HOST:PORT" (TLS). */
  readonly gateway: string;
  /** 1 to 128 characters of [A-Za-z0-9_.-]. It belongs to who registered into it first. */
  readonly toolset: string;
  readonly tools: readonly Tool[];
  /** Other names for the toolset. */
  readonly aliases?: readonly string[];
  /** Names this process among the replicas of one provider; made where unset. */
  readonly instanceId?: string;
  /** For a gateway with API keys. Replicas use the same client's keys. */
  readonly apiKey?: string;
  /**
   * For a gateway without keys: proves that later requests come from this
   * provider. 16 to 256 characters; made at each start where unset. Set it
   * where replicas share tools, or where a restart must not wait for the lease
   * of a process that crashed.
   */
  readonly leaseSecret?: string;
  /** Where to serve calls of the gateway; "127.0.0.1:0" (any free port) where unset. Whoever reaches it can run the tools. */
  readonly listen?: string;
  /** "HOST:PORT" at which the gateway reaches this process; what it listens on where unset. */
  readonly advertise?: string;
  /** 5,000 to 3,600,000; 30,000 where unset. A process that dies without a word keeps its tools listed for so long. */
  readonly leaseMs?: number;
  /** Whether the provider as a whole can be used now. */
  readonly check?: Check;
  /** How many handlers may run at once; more are refused with OVERLOADED. No bound where unset. */
  readonly maxConcurrent?: number;
  /** How long calls may still run after {@link Provider.stop}; 10,000 where unset. */
  readonly graceMs?: number;
  /** Drain on SIGTERM and SIGINT; true where unset. A second signal ends the process at once. */
  readonly handleSignals?: boolean;
  /** Reject where the first registration fails or a tool is refused, instead of going on without. */
  readonly strict?: boolean;
  /** Hears of each refusal that is new or has changed. */
  readonly onRefused?: (outcome: RefusedOutcome) => void;
  /** Hears of each new state; `problem` says why it is "connecting". */
  readonly onState?: (state: ProviderState, problem: string | undefined) => void;
  /** Any pino logger will do; lines on stderr where unset. */
  readonly log?: ProviderLog;
}

/** The options, checked and with what was left out filled in. */
export interface Settings {
  readonly gateway: GatewayAddress;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly instanceId: string;
  readonly apiKey: string | undefined;
  /** Empty where there is a key: the gateway then refuses a secret. */
  readonly leaseSecret: string;
  readonly listen: HostPort;
  readonly advertise: string | undefined;
  readonly leaseMs: number;
  readonly maxConcurrent: number;
  readonly graceMs: number;
  readonly log: ProviderLog;
}

const MAX_GRACE_MS = 3_600_000;

/** @throws TypeError or RangeError in words; never with a key or secret in them. */
export function readOptions(options: ServeOptions): Settings {
  const { apiKey, advertise } = options;
  const listen = readHostPort(options.listen ?? "127.0.0.1:0", "listen");
  if (advertise !== undefined) readHostPort(advertise, "advertise");
  else if (["0.0.0.0", "::"].includes(listen.host)) {
    throw new TypeError(
      `listen is every address of this machine; say with "advertise" which one the gateway is to use.`,
    );
  }
  if (typeof options.toolset !== "string" || options.toolset === "") throw new TypeError("toolset must not be empty.");
  return {
    gateway: readGateway(options.gateway),
    tools: toolsByName(options.tools),
    instanceId: instanceIdOf(options),
    apiKey: apiKey === undefined ? undefined : checkedKey(apiKey),
    leaseSecret: leaseSecretOf(options),
    listen,
    advertise,
    leaseMs: within("leaseMs", options.leaseMs ?? 30_000, [5_000, 3_600_000]),
    maxConcurrent: within("maxConcurrent", options.maxConcurrent ?? Number.POSITIVE_INFINITY, [
      1,
      Number.POSITIVE_INFINITY,
    ]),
    graceMs: within("graceMs", options.graceMs ?? 10_000, [0, MAX_GRACE_MS]),
    log: options.log ?? stderrLog,
  };
}

/** A name that occurs twice is the first tool's; the gateway says so about the second. */
function toolsByName(tools: readonly Tool[]): Map<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (typeof tool?.run !== "function") throw new TypeError("tools holds something that defineTool() did not make.");
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return byName;
}

function instanceIdOf({ instanceId }: ServeOptions): string {
  if (instanceId === undefined) return `${hostname().slice(0, 64)}-${process.pid}-${randomBytes(4).toString("hex")}`;
  if (instanceId.length >= 1 && instanceId.length <= 128) return instanceId;
  throw new RangeError("instanceId must have 1 to 128 characters.");
}

function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new TypeError("apiKey is empty or holds a space, a line break or another character that no key has.");
}

function leaseSecretOf({ apiKey, leaseSecret }: ServeOptions): string {
  if (apiKey !== undefined) {
    if (leaseSecret === undefined) return "";
    throw new TypeError("apiKey and leaseSecret exclude each other: the key already says who registers.");
  }
  if (leaseSecret === undefined) return randomBytes(32).toString("base64url");
  if (leaseSecret.length >= 16 && leaseSecret.length <= 256) return leaseSecret;
  throw new RangeError("leaseSecret must have 16 to 256 characters.");
}

function within(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (value >= least && value <= most) return value;
  throw new RangeError(`${name} must be ${least} to ${most}, not ${value}.`);
}
