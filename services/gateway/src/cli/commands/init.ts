import { constants, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, UsageError } from "../exit-codes.ts";
import type { Terminal } from "../terminal.ts";

const TEMPLATES = fileURLToPath(new URL("../templates/", import.meta.url));
const FILES = ["gateway.yaml", "tools/weather/weather_query.yaml", "files/hello.txt"];

/** `toolgate init`: writes files to start from. Where one of them exists, it writes none. */
export async function initCommand(folder: string, { out }: Terminal): Promise<number> {
  const targets = FILES.map((file) => ({ from: join(TEMPLATES, file), to: join(folder, file) }));
  const taken = targets.map(({ to }) => to).filter((to) => existsSync(to));
  if (taken.length > 0) {
    const those = taken.length === 1 ? `${taken[0]} exists` : `${taken.join(", ")} exist`;
    throw new UsageError(`${those} already, and init overwrites nothing. Nothing was written; name another folder.`);
  }
  for (const { from, to } of targets) {
    write(from, to);
    out.write(`Wrote ${to}\n`);
  }
  out.write(nextSteps(folder));
  return EXIT.ok;
}

function write(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    throw new UsageError(`${to} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function nextSteps(folder: string): string {
  const enter = folder === "." ? "" : `  cd ${folder}\n`;
  return `
Next:
${enter}  toolgate validate --config gateway.yaml
  toolgate serve

In another terminal:
  toolgate list-tools
  toolgate call read_file --param path=hello.txt

weather_query is a sample of your own tools: it needs a service at
http://localhost:8080/weather.
`;
}
