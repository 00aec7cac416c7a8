import { rmSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { GET_TOOL } from "../calls/tools.ts";
import { median } from "../numbers.ts";
import { cpuMs } from "../process/accounting.ts";
import { freePort } from "../process/free-port.ts";
import { ENTRIES, FREE_PORTS, homeIn, writeConfig } from "../servers/gateway.ts";

export interface Starting {
  readonly files: number;
  readonly how: string;
  /** From the start of the process to 200 at /readyz: the median, and each. */
  readonly readyMs: number;
  readonly each: readonly number[];
  /** Of the gateway until then; the median. */
  readonly cpuMs: number;
}

const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/** Starts gateways with so many tool files, one after the other. */
export async function measureStarts(bench: Bench, files: number, starts: number): Promise<readonly Starting[]> {
  const config = writeConfig(bench, `start-${files}`, toolFiles(files));
  // The command keeps compiled code in the home folder: empty before the first start.
  rmSync(join(bench.folder, "home"), { recursive: true, force: true });
  const env = { HOME: homeIn(bench.folder) };
  const first = await start(bench, [ENTRIES.command, "serve", "--config", config], env);
  const row = async (how: string, entry: string): Promise<Starting> => {
    const times: Start[] = [];
    for (let count = 0; count < starts; count += 1) {
      times.push(await start(bench, [entry, "serve", "--config", config], env));
    }
    return summary(how, files, times);
  };
  return [
    await row("toolgate serve, compiled code kept", ENTRIES.command),
    summary("toolgate serve, its first start", files, [first]),
    await row("from the sources, no cache", ENTRIES.sources),
  ];
}

interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
}

function summary(how: string, files: number, times: readonly Start[]): Starting {
  const each = times.map(({ readyMs }) => readyMs);
  return { files, how, readyMs: median(each), each, cpuMs: median(times.map((time) => time.cpuMs)) };
}

async function start({ children }: Bench, args: readonly string[], env: Record<string, string>): Promise<Start> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const begin = performance.now();
  const child = children.start([process.execPath, ...args], {
    env: { ...FREE_PORTS, ...env, TOOLGATE_LISTEN_ADMIN: address },
  });
  const ended = child.finished().then(
    () => "It ended.",
    (error: Error) => error.message,
  );
  while (!(await isReady(`http://${address}/readyz`))) {
    const why = await Promise.race([ended, sleep(POLL_MS)]);
    if (typeof why === "string") throw new Error(`The gateway did not become ready. ${why}`);
    if (performance.now() - begin > PATIENCE_MS) throw new Error("The gateway did not become ready in a minute.");
  }
  const time = { readyMs: performance.now() - begin, cpuMs: cpuMs(child.pid) };
  await children.end(child.process);
  return time;
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("error", () => resolve(false));
  });
}

/** A hundred or a thousand of the simplest tool files, by name. */
export function toolFiles(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, place) => `tool_${String(place).padStart(4, "0")}`);
  const yaml = (name: string) =>
    [
      `name: ${name}`,
      "type: http",
      "description: Answers the weather of a city.",
      `endpoint: http://127.0.0.1:9${GET_TOOL.path}`,
      "method: GET",
      "params:",
      "  - name: city",
      "    type: string",
      "    required: true",
      "    description: The city.",
      "timeout: 5s",
      "",
    ].join("\n");
  return Object.fromEntries(names.map((name) => [name, yaml(name)]));
}
