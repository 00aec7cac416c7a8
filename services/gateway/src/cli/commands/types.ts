import { generateTypes } from "@toolgate/client/types";
import { EXIT } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import type { Terminal } from "../terminal.ts";

export interface TypesCommandOptions extends GatewayOptions {
  readonly toolset?: string;
  readonly strict?: boolean;
}

/** `toolgate types > tools.ts`: TypeScript that makes the compiler check calls of the gateway's tools. */
export async function typesCommand(options: TypesCommandOptions, terminal: Terminal): Promise<number> {
  const filter = { includeUnavailable: true, ...(options.toolset === undefined ? {} : { toolset: options.toolset }) };
  const { tools } = await withGateway(options, terminal, (client, signal) => client.listTools(filter, { signal }));
  terminal.out.write(generateTypes(tools, { strict: options.strict ?? false }));
  return EXIT.ok;
}
