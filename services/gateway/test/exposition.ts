/** One sample of an exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const VALUE = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};

/**
 * Reads Prometheus's text format 0.0.4, strictly: help and type before the
 * samples, families in one piece, nothing twice.
 *
 * @throws Error at the first line that breaks a rule.
 */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line has no end.");
  const families = new Map<string, GrowingFamily>();
  const seen = new Set<string>();
  let current = "";
  for (const line of text.split("\n").filter((line) => line !== "")) {
    if (line.startsWith("#")) current = readComment(line, families);
    else addSample(line, families.get(current) ?? broken(line), seen);
  }
  return families;
}

interface GrowingFamily {
  readonly name: string;
  type: string;
  readonly help: string;
  readonly samples: Sample[];
}

/** The name of the family that begins here, or goes on. */
function readComment(line: string, families: Map<string, GrowingFamily>): string {
  const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? broken(line);
  const known = families.get(name);
  if (kind === "TYPE") {
    if (known === undefined || known.type !== "") broken(line);
    known.type = rest;
  } else {
    if (known !== undefined) throw new Error(`${name} is there twice.`);
    families.set(name, { name, type: "", help: rest, samples: [] });
  }
  return name;
}

function addSample(line: string, family: GrowingFamily, seen: Set<string>): void {
  const sample = readSample(line);
  const names = (SUFFIXES[family.type] ?? [""]).map((suffix) => family.name + suffix);
  if (!names.includes(sample.name)) throw new Error(`${sample.name} stands among the samples of ${family.name}.`);
  const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
  if (seen.has(key)) throw new Error(`${key} is there twice.`);
  seen.add(key);
  family.samples.push(sample);
}

function readSample(line: string): Sample {
  const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? broken(line);
  if (!VALUE.test(value)) broken(line);
  return { name, labels: readLabels(labels, line), value: Number(value.replace("Inf", "Infinity")) };
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let end = 0;
  while (end < text.length) {
    LABEL.lastIndex = end;
    const [whole, name = "", value = ""] = LABEL.exec(text) ?? broken(line);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    end += whole.length;
  }
  return labels;
}

function broken(line: string): never {
  throw new Error(`This is no line of the format: ${line}`);
}
