import { existsSync } from "node:fs";
import type { Terminal } from "../terminal.ts";

export interface ServeCommandOptions {
  readonly config?: string;
}

const USUAL_FILE = "gateway.yaml";

/** `toolgate serve`: runs a gateway; answers when it has stopped. */
export async function serveCommand(options: ServeCommandOptions, { env }: Terminal): Promise<number> {
  const config = options.config ?? (env.TOOLGATE_CONFIG || (existsSync(USUAL_FILE) ? USUAL_FILE : undefined));
  const { runServe } = await import("../serve.ts");
  return runServe(config);
}
