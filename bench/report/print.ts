import type { BenchResult, CallRow } from "./result.ts";
import { figure, table } from "./table.ts";

/** The whole report, for a terminal. */
export function report(result: BenchResult): string {
  const { machine, load, rounds } = result;
  return [
    `Node ${machine.node}, ${machine.cores} cores (${machine.cpu}), load from ${load}, ${rounds} rounds`,
    neighbours(machine.neighbours),
    callTable(result.calls),
    startTable(result),
    listTable(result),
    memoryTable(result),
    targetTable(result),
    "",
  ].join("\n\n");
}

function neighbours(share: number): string {
  const busy = share > 0.05 ? ": too much to trust anything but ratios" : "";
  return `Other processes used ${figure(share * 100)} % of the machine meanwhile${busy}.`;
}

function callTable(rows: readonly CallRow[]): string {
  const head = ["call", "calls/s", "CPU µs a call", "× forwarder", "p50 ms", "p99 ms", "p50 ms alone"];
  return table(
    head,
    rows.map((row) => [
      `${row.tool.padEnd(10)}  ${row.server.padEnd(9)}  ${row.encoding}`,
      figure(row.callsPerSecond),
      figure(row.cpuPerCall),
      figure(row.timesForwarder, 2),
      figure(row.p50Ms, 1),
      figure(row.p99Ms, 1),
      figure(row.aloneP50Ms, 2),
    ]),
  );
}

function startTable({ starts }: BenchResult): string {
  return table(
    ["start", "ready after ms", "CPU ms"],
    starts.map(({ files, how, readyMs, cpuMs }) => [
      `${figure(files)} tool files, ${how}`,
      figure(readyMs),
      figure(cpuMs),
    ]),
  );
}

function listTable({ catalogue: { listings, registering } }: BenchResult): string {
  const { tools, seconds, cpuMs } = registering;
  const rows = listings.map(({ what, tools: listed, bytes, firstMs, medianMs, cpuMsPerCall }) => {
    return [`${what}, ${figure(listed)} tools`, bytes, firstMs, medianMs, cpuMsPerCall].map((cell, column) =>
      typeof cell === "string" ? cell : figure(cell, column === 1 ? 0 : 1),
    );
  });
  const list = table(["list", "bytes", "first ms", "median ms", "CPU ms a call"], rows);
  const registered = `Register ${figure(tools)} tools: ${figure(seconds, 2)} s, ${figure(cpuMs)} ms of CPU`;
  return `${list}\n\n${registered}, ${figure((cpuMs * 1000) / tools)} µs a tool`;
}

function memoryTable({ catalogue: { memory }, quickstartMiB, underLoad }: BenchResult): string {
  const idle = memory.map((now, place) => {
    const before = memory[place - 1];
    const each =
      before === undefined ? Number.NaN : ((now.heapMiB - before.heapMiB) * 1000) / (now.tools - before.tools);
    const numbers = [now.rssMiB, now.collectedRssMiB, now.heapMiB].map((value) => figure(value, 1));
    return [`idle, ${figure(now.tools)} tools registered`, ...numbers, figure(each, 2)];
  });
  return table(
    ["memory in MiB", "resident", "after a collection", "heap", "heap for 1,000 more"],
    [
      ["idle, the quickstart's configuration", figure(quickstartMiB, 1)],
      ["under load, after the first round", figure(underLoad[0]?.gatewayMiB, 1)],
      ["under load, after the last round", figure(underLoad.at(-1)?.gatewayMiB, 1)],
      ["the forwarder, after the last round", figure(underLoad.at(-1)?.forwarderMiB, 1)],
      ...idle,
    ],
  );
}

function targetTable({ targets, soak }: BenchResult): string {
  const rows = targets.map(({ target, measured, met }) => [target, measured, met ? "ok" : "MISSED"]);
  const hint = soak === undefined ? "\n\nWhether memory stays flat: --soak SECONDS." : "";
  return table(["target", "measured", ""], rows) + hint;
}
