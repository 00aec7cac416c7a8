import {
  type CacheRules,
  type CheckSpec,
  DEFAULT_LOOP_RULES,
  type LimitRules,
  type LoopRules,
  NO_LIMITS,
} from "@toolgate/core";
import type { AuditArguments } from "../audit/audit-arguments.ts";
import type { ClientConfig } from "../identity/client-config.ts";
import type { ListenAddress } from "../transport/door.ts";

/** Everything the gateway can be told, complete: defaults are filled in, references resolved. */
export interface GatewayConfig {
  readonly listen: {
    readonly grpc: ListenAddress;
    readonly http: ListenAddress;
    readonly admin: ListenAddress;
  };
  /** Folder of tool files; unset where there is none. */
  readonly toolsDir?: string;
  readonly builtin: {
    /** Root of the `file` toolset; unset: there is no such toolset. */
    readonly filesRoot?: string;
    /** Folder that `docs_search` indexes; unset: there is no such tool. */
    readonly docsRoot?: string;
  };
  /** Checks and aliases of toolsets that the tool files fill. */
  readonly toolsets: Readonly<Record<string, ToolsetConfig>>;
  readonly clients: readonly ClientConfig[];
  readonly limits: LimitRules;
  readonly registration: {
    /** Names, addresses and ranges that tools registered over the network may point at. */
    readonly allowedHosts: readonly string[];
  };
  /** Origins of web pages that may use the HTTP door. */
  readonly allowedOrigins: readonly string[];
  readonly maxMessageBytes: number;
  readonly cache: CacheConfig;
  /** How long calls in flight may take to end when the gateway stops. */
  readonly drainMs: number;
  /** Unset: nothing is written down. */
  readonly audit?: AuditConfig;
  /** Unset: nobody looks for loops. */
  readonly loopGuard?: LoopGuardConfig;
  readonly logLevel: LogLevel;
}

export interface CacheConfig extends CacheRules {
  readonly maxBytes: number;
}

export interface ToolsetConfig {
  readonly aliases: readonly string[];
  readonly check?: CheckSpec;
}

export interface AuditConfig {
  /** Unset: in memory, and gone with the process. */
  readonly file?: string;
  readonly arguments: AuditArguments;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxAgeMs?: number;
}

export interface LoopGuardConfig {
  readonly rules: LoopRules;
  readonly sessions: number;
  readonly forgetAfterMs: number;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** The whole stop must end within 10 s: this leaves two for closing. */
export const MAX_DRAIN_MS = 8_000;

export const DEFAULT_AUDIT: AuditConfig = {
  arguments: "digest",
  maxFileBytes: 64 * 1024 * 1024,
  maxFiles: 10,
};

export const DEFAULT_LOOP_GUARD: LoopGuardConfig = {
  rules: DEFAULT_LOOP_RULES,
  sessions: 10_000,
  forgetAfterMs: 600_000,
};

/** What holds where nothing is said. */
export const DEFAULT_CONFIG: GatewayConfig = {
  listen: {
    grpc: { host: "127.0.0.1", port: 50051 },
    http: { host: "127.0.0.1", port: 9000 },
    admin: { host: "127.0.0.1", port: 9464 },
  },
  builtin: {},
  toolsets: {},
  clients: [],
  limits: NO_LIMITS,
  registration: { allowedHosts: ["localhost", "127.0.0.1", "::1"] },
  allowedOrigins: [],
  maxMessageBytes: 4 * 1024 * 1024,
  cache: { enabled: true, byTool: {}, maxBytes: 64 * 1024 * 1024 },
  drainMs: MAX_DRAIN_MS,
  audit: DEFAULT_AUDIT,
  loopGuard: DEFAULT_LOOP_GUARD,
  logLevel: "info",
};
