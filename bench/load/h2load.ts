import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import type { LoadGenerator, LoadJob, LoadResult, LoadTarget } from "./load.ts";

/** nghttp2's load generator, the cheapest there is: it leaves the machine to what is measured. Undefined where it is not installed. */
export function h2load(bench: Bench): LoadGenerator | undefined {
  const { status, stdout } = spawnSync("h2load", ["--version"], { encoding: "utf8" });
  if (status !== 0) return undefined;
  return { name: stdout.trim().replace("/", " "), run: (job) => run(bench, job) };
}

async function run({ children, folder }: Bench, job: LoadJob): Promise<LoadResult> {
  const log = join(folder, "h2load.tsv");
  const data = join(folder, "h2load.body");
  const { url, body, args } = requestOf(job.target);
  writeFileSync(data, body);
  writeFileSync(log, "");
  const counts = ["-n", job.calls, "-c", job.connections, "-m", job.perConnection].map(String);
  await children.start(["h2load", ...counts, ...args, "-d", data, `--log-file=${log}`, url]).finished();
  return readLog(readFileSync(log, "latin1"), job.calls);
}

function requestOf(target: LoadTarget): { url: string; body: Uint8Array; args: string[] } {
  if (target.kind === "http") {
    return { url: target.url, body: Buffer.from(target.body), args: ["--h1", "-H", "content-type: application/json"] };
  }
  const headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"];
  return { url: `http://${target.address}${target.path}`, body: framed(target.message), args: headers };
}

/** A message of a gRPC stream: not compressed, its length in four bytes, itself. */
function framed(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** Reads h2load's log: lines of start (microseconds since the epoch), HTTP status (-1: failed), and duration in microseconds. */
export function readLog(log: string, calls: number): LoadResult {
  const rows = log
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t").map(Number) as [start: number, status: number, duration: number]);
  const good = rows.filter(([, status]) => status === 200);
  const start = good.reduce((first, [at]) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const end = good.reduce((last, [at, , duration]) => Math.max(last, at + duration), 0);
  const latenciesMs = Float64Array.from(good, ([, , duration]) => duration / 1000).sort();
  return { seconds: (end - start) / 1_000_000, latenciesMs, failed: calls - good.length };
}
