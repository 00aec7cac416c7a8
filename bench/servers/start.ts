import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import type { Child } from "../process/children.ts";
import type { Listening } from "./announce.ts";

export interface RunningServer {
  readonly child: Child;
  readonly pid: number;
  /** "host:port" */
  readonly address: string;
}

/** Starts a server of this folder; resolves when it listens. */
export async function startServer(
  { children }: Bench,
  file: string,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = children.start([process.execPath, path, ...args], { ipc: true });
  const { port } = await child.message<Listening>();
  return { child, pid: child.pid, address: `127.0.0.1:${port}` };
}
