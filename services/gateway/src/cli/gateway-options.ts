import type { ToolgateClient } from "@toolgate/client";
import { UsageError } from "./exit-codes.ts";
import { readText } from "./read-file.ts";
import type { Terminal } from "./terminal.ts";

/** Options that every command which talks to a gateway has. */
export interface GatewayOptions {
  readonly gateway?: string;
  readonly apiKeyFile?: string;
}

const DEFAULT_ADDRESS = "127.0.0.1:50051";

/**
 * Talks to the gateway that the options, or else the environment, name, and
 * lets go of it afterwards. Ctrl-C cancels what is under way.
 */
export async function withGateway<T>(
  options: GatewayOptions,
  terminal: Terminal,
  talk: (client: ToolgateClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const address = options.gateway ?? (terminal.env.TOOLGATE_GATEWAY || DEFAULT_ADDRESS);
  const apiKey = apiKeyOf(options, terminal);
  const { createClient } = await import("@toolgate/client");
  const client = createClient({ address, ...(apiKey === undefined ? {} : { apiKey }) });
  const interrupt = new AbortController();
  const stopListening = terminal.onInterrupt(() => interrupt.abort());
  try {
    return await talk(client, interrupt.signal);
  } finally {
    stopListening();
    client.close();
  }
}

/** The key comes from a file or the environment: an argument could be read by everyone on the machine. */
function apiKeyOf({ apiKeyFile }: GatewayOptions, { env }: Terminal): string | undefined {
  if (apiKeyFile === undefined) return env.TOOLGATE_API_KEY || undefined;
  const key = readText(apiKeyFile, "The file of the API key").trim();
  if (key === "") throw new UsageError(`The file of the API key ${apiKeyFile} is empty.`);
  return key;
}
