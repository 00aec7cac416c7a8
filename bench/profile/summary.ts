/** What V8 writes with --cpu-prof: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Microseconds between a sample and the one before. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface SelfTime {
  readonly name: string;
  readonly microseconds: number;
}

export interface Summary {
  /** Without idle time. */
  readonly totalMicroseconds: number;
  readonly functions: readonly SelfTime[];
  readonly packages: readonly SelfTime[];
}

/** Self time by function and by package, most first, of the samples after `from` on the monotonic clock. */
export function summarize(profile: CpuProfile, from: number): Summary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let at = profile.startTime;
  let total = 0;
  profile.samples.forEach((id, place) => {
    const delta = profile.timeDeltas[place] ?? 0;
    at += delta;
    const frame = nodes.get(id);
    if (frame === undefined || frame.functionName === "(idle)" || at < from) return;
    total += delta;
    const owner = ownerOf(frame.url, frame.functionName);
    add(packages, owner, delta);
    add(functions, `${frame.functionName || "(anonymous)"}  ${placeOf(frame.url, frame.lineNumber)}`, delta);
  });
  return { totalMicroseconds: total, functions: ranked(functions), packages: ranked(packages) };
}

function add(sums: Map<string, number>, key: string, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function ranked(sums: ReadonlyMap<string, number>): SelfTime[] {
  const all = [...sums].map(([name, microseconds]) => ({ name, microseconds }));
  return all.sort((a, b) => b.microseconds - a.microseconds);
}

/** Whose code it is: a package, a part of Node, or the engine itself. */
function ownerOf(url: string, functionName: string): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
  if (url.startsWith("node:")) return url.split("/").slice(0, 2).join("/");
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return dependency ?? /(?:packages|services)\/[^/]+/.exec(url)?.[0] ?? url;
}

function placeOf(url: string, line: number): string {
  if (url === "") return "";
  const path = /.*node_modules\/(.*)/.exec(url)?.[1] ?? /(?:packages|services|bench)\/.*/.exec(url)?.[0] ?? url;
  return `${path}:${line + 1}`;
}
