import { EXIT } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { shown, type Terminal } from "../terminal.ts";

export interface SwitchCommandOptions extends GatewayOptions {
  /** The name is that of a toolset. */
  readonly toolset?: boolean;
}

/** `toolgate enable` and `toolgate disable`. Exit code 1 where there is no such tool. */
export async function switchCommand(
  { name, enabled }: { readonly name: string; readonly enabled: boolean },
  options: SwitchCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { out, err } = terminal;
  const known = await withGateway(options, terminal, (client, signal) =>
    options.toolset
      ? client.setToolsetEnabled(name, enabled, { signal })
      : client.setToolEnabled(name, enabled, { signal }),
  );
  const what = `${options.toolset ? "toolset" : "tool"} ${JSON.stringify(name)}`;
  if (known) out.write(shown(`The ${what} is ${enabled ? "on" : "off"}.\n`, out));
  else err.write(shown(`There is no ${what}.\n`, err));
  return known ? EXIT.ok : EXIT.failed;
}
