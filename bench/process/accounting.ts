import { readdirSync, readFileSync } from "node:fs";

/** The kernel's unit in /proc/PID/stat, USER_HZ: 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;
const NANOSECONDS = 1_000_000;

/**
 * CPU time that a process has used so far, in milliseconds: user and system time of all its threads, by
 * the kernel's own books, so that nothing in the process has to help. In nanoseconds where the kernel
 * keeps them (/proc/PID/task/TID/schedstat, which forgets threads that ended), else in steps of 10 ms.
 *
 * @throws Error where there is no such process, or no /proc.
 */
export function cpuMs(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.reduce((sum, task) => sum + runTimeMs(`/proc/${pid}/task/${task}/schedstat`), 0);
  } catch {
    return ticksMs(pid);
  }
}

/** The first field: time on a CPU, in nanoseconds. */
function runTimeMs(schedstat: string): number {
  return Number(readFileSync(schedstat, "latin1").split(" ")[0]) / NANOSECONDS;
}

/** proc_pid_stat(5), fields 14 and 15: utime and stime. */
function ticksMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name in field 2 may hold spaces and brackets: count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process in MiB (VmRSS of proc_pid_status(5)). */
export function rssMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  if (kib === undefined) throw new Error(`/proc/${pid}/status tells no VmRSS.`);
  return Number(kib) / 1024;
}
