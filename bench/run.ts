/** The gateway beside a bare forwarder and a bare echo, in one run. How to read it: README.md. */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { type Bench, withBench } from "./bench.ts";
import type { Contender } from "./calls/contender.ts";
import { lineUp } from "./calls/line-up.ts";
import { type Arena, alone, sideBySide, type Turn } from "./calls/rounds.ts";
import { verify } from "./calls/verify.ts";
import { h2load } from "./load/h2load.ts";
import { ownLoad } from "./load/own-load.ts";
import { measureCatalogue } from "./measures/catalogue.ts";
import { quickstartMemory } from "./measures/memory.ts";
import { soak } from "./measures/soak.ts";
import { measureStarts, type Starting } from "./measures/starting.ts";
import { type BenchOptions, readOptions, USAGE } from "./options.ts";
import { rssMiB } from "./process/accounting.ts";
import { Neighbours } from "./process/machine.ts";
import { report } from "./report/print.ts";
import type { BenchResult } from "./report/result.ts";
import { callRows } from "./report/rows.ts";
import { targetResults } from "./report/targets.ts";

async function measureCalls(bench: Bench, options: BenchOptions) {
  const line = await lineUp(bench);
  const arena: Arena = { ...line, generator: (options.ownLoad ? undefined : h2load(bench)) ?? ownLoad(bench) };
  for (const contender of arena.contenders) await verify(contender);
  bench.say(`${arena.contenders.length} contenders by turns, load from ${arena.generator.name} …`);
  const underLoad: { gatewayMiB: number; forwarderMiB: number }[] = [];
  const turns = await sideBySide(arena, options, () => {
    underLoad.push({ gatewayMiB: rssMiB(line.gateway.pid), forwarderMiB: rssMiB(line.forwarder.pid) });
  });
  const single = new Map<Contender, Turn>();
  for (const contender of arena.contenders) {
    single.set(contender, await alone(arena, contender, options.aloneCalls));
  }
  if (options.soakSeconds > 0) bench.say(`steady load for ${options.soakSeconds} s …`);
  const soaked = options.soakSeconds > 0 ? { soak: await soak(bench, arena, options.soakSeconds) } : {};
  await line.end();
  return { calls: callRows(turns, single), load: arena.generator.name, underLoad, ...soaked };
}

async function measure(bench: Bench, options: BenchOptions): Promise<BenchResult> {
  const neighbours = new Neighbours();
  const starts: Starting[] = [];
  for (const files of options.startFiles) {
    bench.say(`starts with ${files} tool files …`);
    starts.push(...(await measureStarts(bench, files, options.starts)));
  }
  bench.say(`registering and listing ${options.tools} tools …`);
  const catalogue = await measureCatalogue(bench, options);
  const quickstartMiB = await quickstartMemory(bench);
  const calls = await measureCalls(bench, options);
  const [cpu] = cpus();
  const machine = {
    node: process.versions.node,
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    neighbours: neighbours.share(cpus().length),
  };
  const figures = { machine, rounds: options.rounds, starts, catalogue, quickstartMiB, ...calls };
  return { ...figures, targets: targetResults(figures) };
}

async function main(): Promise<number> {
  let options: BenchOptions | "help";
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return 2;
  }
  if (options === "help") {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { json, ...chosen } = options;
  try {
    const work = async (bench: Bench) => {
      const result = await measure(bench, chosen);
      process.stdout.write(report(result));
      if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
    };
    await withBench(work, chosen.soakSeconds * 1_000);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

process.exit(await main());
