import { stringifyJson } from "@toolgate/client";
import { EXIT } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { shown, type Terminal } from "../terminal.ts";

export interface ReloadCommandOptions extends GatewayOptions {
  readonly json?: boolean;
}

/** `toolgate reload`: makes the gateway read its files again. Exit code 1 where a file could not be read. */
export async function reloadCommand(options: ReloadCommandOptions, terminal: Terminal): Promise<number> {
  const { out, err } = terminal;
  const result = await withGateway(options, terminal, (client, signal) => client.reload({ signal }));
  const { added, changed, removed, problems } = result;
  for (const { file, line, column, message } of problems) {
    const place = line === 0 ? file : `${file}:${line}:${column}`;
    err.write(`${shown(`${place}: ${message}`, err)}\n`);
  }
  if (options.json) out.write(`${stringifyJson(result)}\n`);
  else out.write(shown(changesOf({ added, changed, removed }), out));
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

function changesOf(changes: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(changes)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what.padEnd(8)} ${names.join(", ")}\n`);
  return lines.length === 0 ? "Nothing changed.\n" : lines.join("");
}
