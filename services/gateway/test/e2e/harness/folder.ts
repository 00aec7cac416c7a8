import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for one test, with these files in it; gone when the test ends. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFile(join(folder, name), text);
  return folder;
}

export function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What a gateway's folder holds. */
export interface GatewayFiles {
  /** Tool files below tools/, by name. */
  readonly tools?: Readonly<Record<string, string>>;
  /** Other files, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** More of gateway.yaml. */
  readonly yaml?: string;
}

const FREE_PORTS = "listen: {grpc: 127.0.0.1:0, http: 127.0.0.1:0, admin: 127.0.0.1:0}\n";

/** Writes gateway.yaml, which listens on free ports, and tools/ to a folder of its own. */
export function gatewayFolder({ tools = {}, files = {}, yaml = "" }: GatewayFiles): string {
  const below = Object.entries(tools).map(([name, text]) => [`tools/${name}`, text]);
  return temporaryFolder({
    "tools/.keep": "",
    ...Object.fromEntries(below),
    ...files,
    "gateway.yaml": `${FREE_PORTS}tools_dir: tools\n${yaml}`,
  });
}
