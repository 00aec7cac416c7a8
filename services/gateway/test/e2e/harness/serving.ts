import { join } from "node:path";
import { type GatewayFiles, gatewayFolder } from "./folder.ts";
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

export interface ServingOptions extends GatewayFiles {
  readonly env?: RunOptions["env"];
}

/** `toolgate serve` in a process of its own, on free ports; resolves when it is ready. */
export async function serving(options: ServingOptions = {}): Promise<ServingProcess> {
  return servingIn(gatewayFolder(options), options);
}

/** The same in a folder that is there already. */
export async function servingIn(folder: string, options: Pick<ServingOptions, "env"> = {}): Promise<ServingProcess> {
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
