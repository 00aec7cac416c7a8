import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { type RunningProcess, type RunOptions, toolgate } from "./process.ts";

export interface ServingProcess extends RunningProcess {
  /** "host:port" of the gRPC door. */
  readonly grpc: string;
  /** Base URLs, without a slash at the end. */
  readonly http: string;
  readonly admin: string;
  /** Holds gateway.yaml and tools/. */
  readonly folder: string;
}

export interface ServingOptions {
  /** Tool files below tools/, by name. */
  readonly tools?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** More of gateway.yaml. */
  readonly yaml?: string;
  readonly env?: RunOptions["env"];
}

export const FREE_PORTS = "listen: {grpc: 127.0.0.1:0, http: 127.0.0.1:0, admin: 127.0.0.1:0}\n";

/** Writes gateway.yaml and tool files to a folder of its own. */
export function gatewayFolder({ tools = {}, files = {}, yaml = "" }: ServingOptions): string {
  const below = Object.entries(tools).map(([name, text]) => [`tools/${name}`, text]);
  return temporaryFolder({
    "tools/.keep": "",
    ...Object.fromEntries(below),
    ...files,
    "gateway.yaml": `${FREE_PORTS}tools_dir: tools\n${yaml}`,
  });
}

/** `toolgate serve` in a process of its own, on free ports; resolves when it is ready. */
export async function serving(options: ServingOptions = {}): Promise<ServingProcess> {
  const folder = gatewayFolder(options);
  const running = toolgate(["serve", "--config", join(folder, "gateway.yaml")], { env: options.env ?? {} });
  const place = async (pattern: RegExp) => (await running.printed(pattern))[1] as string;
  return {
    ...running,
    folder,
    grpc: await place(/^ +gRPC +(\S+)/m),
    http: await place(/^ +HTTP +(\S+)/m),
    admin: await place(/^ +admin +(\S+)/m),
  };
}
