import { readFileSync } from "node:fs";

const TICK_MS = 10;

/** CPU time of the whole machine since it started, in milliseconds, and of this process with its ended children. */
interface Spent {
  readonly at: number;
  readonly machine: number;
  readonly own: number;
}

/** Tells how much of the machine others used meanwhile: 0 to 1. Figures from a busy machine say little. */
export class Neighbours {
  readonly #start = spent();

  /** To be asked when all children have ended: only then are they on the books. */
  share(cores: number): number {
    const now = spent();
    const others = now.machine - this.#start.machine - (now.own - this.#start.own);
    return Math.max(0, others / ((now.at - this.#start.at) * cores));
  }
}

function spent(): Spent {
  // proc_stat(5): user nice system idle iowait irq softirq steal. Neither idle nor iowait is use.
  const [user, nice, system, , , irq, softirq, steal] = numbersOf(readFileSync("/proc/stat", "latin1").split("\n")[0]);
  // proc_pid_stat(5), from field 14 on: utime stime cutime cstime.
  const stat = readFileSync("/proc/self/stat", "latin1");
  const own = numbersOf(stat.slice(stat.lastIndexOf(")") + 2)).slice(10, 14);
  return {
    at: performance.now(),
    machine: sum([user, nice, system, irq, softirq, steal]) * TICK_MS,
    own: sum(own) * TICK_MS,
  };
}

function numbersOf(line = ""): number[] {
  return line.trim().split(/\s+/).slice(1).map(Number);
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}
