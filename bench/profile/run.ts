/** Where the gateway's CPU time goes: `node bench/profile/run.ts start|grpc-struct|grpc-json|http [CALLS]`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, withBench } from "../bench.ts";
import { contender, type Encoding } from "../calls/contender.ts";
import { type Arena, takeTurn } from "../calls/rounds.ts";
import { POST_TOOL } from "../calls/tools.ts";
import { h2load } from "../load/h2load.ts";
import { ownLoad } from "../load/own-load.ts";
import { toolFiles } from "../measures/starting.ts";
import { figure, table } from "../report/table.ts";
import { startGateway, writeConfig } from "../servers/gateway.ts";
import { startServer } from "../servers/start.ts";
import { type CpuProfile, type SelfTime, summarize } from "./summary.ts";

const ENCODING: Readonly<Record<string, Encoding>> = {
  "grpc-struct": "gRPC Struct",
  "grpc-json": "gRPC JSON text",
  http: "HTTP JSON",
};
const WARMUP_CALLS = 6_000;
const SHOWN = 45;

function flagsFor(folder: string): string[] {
  return ["--cpu-prof", `--cpu-prof-dir=${join(folder, "profile")}`, "--cpu-prof-interval=200"];
}

function readProfile(folder: string): CpuProfile {
  const [file = ""] = readdirSync(join(folder, "profile"));
  return JSON.parse(readFileSync(join(folder, "profile", file), "utf8"));
}

/** Microseconds on the clock that V8's profiles use, too. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

async function profileCalls(bench: Bench, encoding: Encoding, calls: number): Promise<void> {
  const backend = await startServer(bench, "backend-main.ts");
  const files = { [POST_TOOL.name]: POST_TOOL.file(`http://${backend.address}`) };
  const config = writeConfig(bench, "profile-calls", files);
  // The bundle would hide whose code it is.
  const gateway = await startGateway(bench, { config, flags: flagsFor(bench.folder), entry: "sources" });
  const row = contender("gateway", gateway, [POST_TOOL, encoding]);
  const arena: Arena = { contenders: [row], backend, generator: h2load(bench) ?? ownLoad(bench) };
  await takeTurn(arena, row, WARMUP_CALLS);
  const from = now();
  await takeTurn(arena, row, calls);
  await bench.children.end(gateway.child.process);
  print(readProfile(bench.folder), from, calls);
}

async function profileStart(bench: Bench): Promise<void> {
  const config = writeConfig(bench, "profile-start", toolFiles(100));
  // The second start: the first one fills the cache.
  for (const flags of [[], flagsFor(bench.folder)]) {
    const gateway = await startGateway(bench, { config, flags });
    await bench.children.end(gateway.child.process);
  }
  print(readProfile(bench.folder), 0, 1);
}

function print(profile: CpuProfile, from: number, per: number): void {
  const { totalMicroseconds, packages, functions } = summarize(profile, from);
  const rows = (times: readonly SelfTime[]) =>
    times.slice(0, SHOWN).map(({ name, microseconds }) => {
      const share = `${figure((100 * microseconds) / totalMicroseconds, 1)} %`;
      return [name, figure(microseconds / per, 1), share];
    });
  const unit = per === 1 ? "µs" : "µs a call";
  console.log(`${figure(totalMicroseconds / per)} ${unit} in all\n`);
  console.log(table(["owner", unit, "share"], rows(packages)));
  console.log(`\n${table(["function", unit, "share"], rows(functions))}`);
}

const [what = "", calls = "20000"] = process.argv.slice(2);
const encoding = ENCODING[what];
if (what !== "start" && encoding === undefined) {
  console.error("Usage: node bench/profile/run.ts start|grpc-struct|grpc-json|http [CALLS]");
  process.exit(2);
}
await withBench((bench) => {
  return encoding === undefined ? profileStart(bench) : profileCalls(bench, encoding, Number(calls));
});
process.exit(0);
