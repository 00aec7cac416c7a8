import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import type { Child } from "../process/children.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const CLI = at("../../services/gateway/src/cli/");
/**
 * How the gateway is started: as the command, which runs a bundle of the sources where it is fresh (`npm run bench`
 * sees to that) and keeps compiled code between starts; or straight from the sources.
 */
export const ENTRIES = { sources: join(CLI, "main.ts"), command: join(CLI, "toolgate.mjs") } as const;
const QUICKSTART = at("../../examples/quickstart/gateway.yaml");
const COLLECT = at("./collect-on-message.ts");

export const FREE_PORTS = {
  TOOLGATE_LISTEN_GRPC: "127.0.0.1:0",
  TOOLGATE_LISTEN_HTTP: "127.0.0.1:0",
  TOOLGATE_LISTEN_ADMIN: "127.0.0.1:0",
} as const;

export interface Gateway {
  readonly child: Child;
  readonly pid: number;
  /** "host:port" */
  readonly grpc: string;
  /** URL without a slash at the end. */
  readonly http: string;
  /** Collects garbage, all of it, and answers the bytes of heap that are in use then. Only where `collectable`. */
  collect(): Promise<number>;
}

export interface GatewaySetup {
  /** Path of gateway.yaml; the quickstart's where unset. */
  readonly config?: string;
  /** Whether `collect` is to be had. */
  readonly collectable?: boolean;
  /** The command where unset, as it is shipped. */
  readonly entry?: keyof typeof ENTRIES;
  /** More flags for Node. */
  readonly flags?: readonly string[];
}

/** Starts a gateway, as it is shipped, on free ports; resolves when it is ready. */
export async function startGateway({ children, folder }: Bench, setup: GatewaySetup = {}): Promise<Gateway> {
  const { config = QUICKSTART, collectable = false, entry = "command", flags = [] } = setup;
  const env = { ...FREE_PORTS, HOME: homeIn(folder) };
  const collecting = collectable ? ["--expose-gc", "--import", COLLECT] : [];
  const command = [...flags, ...collecting, ENTRIES[entry], "serve", "--config", config];
  const child = children.start([process.execPath, ...command], { ipc: collectable, env });
  const [, grpc = "", http = ""] = await child.printed(/gRPC +(\S+)\n +HTTP +(\S+).*\/readyz\n/s);
  return {
    child,
    pid: child.pid,
    grpc,
    http,
    collect() {
      const collected = child.message<number>();
      child.process.send("collect");
      return collected;
    },
  };
}

/** A home of our own: what the command keeps there is neither found nor left behind. */
export function homeIn(folder: string): string {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  return home;
}

/** Writes a configuration with these tool files, by name; answers the path of its gateway.yaml. */
export function writeConfig({ folder }: Bench, name: string, tools: Readonly<Record<string, string>>): string {
  const tooldir = join(folder, name, "tools", "bench");
  mkdirSync(tooldir, { recursive: true });
  for (const [tool, text] of Object.entries(tools)) writeFileSync(join(tooldir, `${tool}.yaml`), text);
  const config = join(folder, name, "gateway.yaml");
  writeFileSync(config, "tools_dir: tools\n");
  return config;
}
