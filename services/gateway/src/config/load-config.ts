import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CacheRule } from "@toolgate/core";
import { formatProblem, readDocument } from "@toolgate/documents";
import { completeAudit } from "./audit.ts";
import { clientOf } from "./client-config.ts";
import { type CacheConfig, DEFAULT_CONFIG, type GatewayConfig, type ToolsetConfig } from "./config.ts";
import { overrideFromEnvironment } from "./environment.ts";
import { completeLimits } from "./limits.ts";
import { completeLoopGuard } from "./loop-guard.ts";
import { type GatewayYaml, gatewaySchema, NOT_IN_FORCE } from "./schema.ts";

export type LoadedConfig =
  | { readonly ok: true; readonly config: GatewayConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the configuration: the file, then what the environment puts over it.
 * Without a file only the environment and the defaults count. Paths are
 * relative to the file's folder, or to the working folder where there is none.
 */
export function loadConfig(file: string | undefined, env: Readonly<Record<string, string | undefined>>): LoadedConfig {
  const read = file === undefined ? { ok: true as const, value: {} } : readFile(file);
  if (!read.ok) return read;
  const { value, problems, unknown } = overrideFromEnvironment(read.value, env);
  if (problems.length > 0) return { ok: false, problems };
  const warnings = [
    ...unknown.map((name) => `The environment variable ${name} is not a setting of Toolgate; it is ignored.`),
    ...NOT_IN_FORCE.filter((key) => value[key] !== undefined).map(
      (key) => `"${key}" is configured, but this version does not enforce it yet.`,
    ),
  ];
  return { ok: true, config: complete(value as GatewayYaml, file === undefined ? "." : dirname(file)), warnings };
}

function readFile(
  file: string,
):
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly problems: string[] } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const missing = (error as { code?: string }).code === "ENOENT";
    const hint = missing
      ? 'does not exist. Make one with "toolgate init", or name another with --config'
      : "cannot be read";
    return { ok: false, problems: [`The configuration file ${file} ${hint}.`] };
  }
  const result = readDocument(text, file, gatewaySchema);
  if (result.ok) return { ok: true, value: result.value as Record<string, unknown> };
  return { ok: false, problems: result.problems.map(formatProblem) };
}

function complete(yaml: GatewayYaml, folder: string): GatewayConfig {
  const { listen, tools_dir, builtin, clients, registration, allowed_origins, max_message_bytes, drain, log_level } =
    yaml;
  const path = (relative: string) => resolve(folder, relative);
  return {
    listen: {
      grpc: listen?.grpc ?? DEFAULT_CONFIG.listen.grpc,
      http: listen?.http ?? DEFAULT_CONFIG.listen.http,
      admin: listen?.admin ?? DEFAULT_CONFIG.listen.admin,
    },
    ...(tools_dir === undefined ? {} : { toolsDir: path(tools_dir) }),
    builtin: {
      ...(builtin?.files === undefined ? {} : { filesRoot: path(builtin.files) }),
      ...(builtin?.docs === undefined ? {} : { docsRoot: path(builtin.docs) }),
    },
    toolsets: toolsetsOf(yaml),
    clients: (clients ?? []).map(clientOf),
    limits: completeLimits(yaml.rate_limits, clients ?? []),
    registration: { allowedHosts: registration?.allowed_hosts ?? DEFAULT_CONFIG.registration.allowedHosts },
    allowedOrigins: allowed_origins ?? DEFAULT_CONFIG.allowedOrigins,
    maxMessageBytes: max_message_bytes ?? DEFAULT_CONFIG.maxMessageBytes,
    cache: cacheOf(yaml),
    drainMs: drain ?? DEFAULT_CONFIG.drainMs,
    ...completeAudit(yaml.audit, folder),
    ...completeLoopGuard(yaml.loop_guard),
    logLevel: log_level ?? DEFAULT_CONFIG.logLevel,
  };
}

function toolsetsOf({ toolsets }: GatewayYaml): Record<string, ToolsetConfig> {
  const entries = Object.entries(toolsets ?? {}).map(([name, { aliases, check }]) => {
    const config: ToolsetConfig = check === undefined ? { aliases: aliases ?? [] } : { aliases: aliases ?? [], check };
    return [name, config];
  });
  return Object.fromEntries(entries);
}

function cacheOf({ cache = {} }: GatewayYaml): CacheConfig {
  const { enabled, default_ttl, max_bytes, rules = [] } = cache;
  const byTool = rules.map(({ tool, ttl, shared }): [string, CacheRule] => [
    tool,
    shared === undefined ? { ttlMs: ttl } : { ttlMs: ttl, shared },
  ]);
  return {
    enabled: enabled ?? DEFAULT_CONFIG.cache.enabled,
    maxBytes: max_bytes ?? DEFAULT_CONFIG.cache.maxBytes,
    byTool: Object.fromEntries(byTool),
    ...(default_ttl === undefined ? {} : { defaultTtlMs: default_ttl }),
  };
}
