/** One call of a session, as the loop guard remembers it. */
export interface PastCall {
  readonly tool: string;
  /** Equal for the same tool with equal arguments. Empty for a tool that may repeat: it equals nothing, not even itself. */
  readonly signature: string;
  readonly readOnly: boolean;
  /** Digest of what it answered; unset while it runs, and where nobody knows. */
  readonly result?: string | undefined;
}

/** When a pattern is worth a warning, and when the next call is refused. */
export interface LoopLimit {
  readonly enabled: boolean;
  readonly warnAt: number;
  /** Not less than {@link warnAt}. */
  readonly refuseAt: number;
}

export interface LoopRules {
  /** Counts equal calls in a row of a read-only tool, the present one included. */
  readonly repeat: LoopLimit;
  /** Counts rounds of the same two to five calls, the present one included. */
  readonly cycle: LoopLimit;
  /** Counts equal results in a row of one read-only tool, whatever the arguments, before the present call. */
  readonly sameResult: LoopLimit;
}

export type LoopPattern = "repeat" | "cycle" | "same_result";

export interface Loop {
  readonly pattern: LoopPattern;
  readonly action: "warn" | "refuse";
  /** What the rule of this pattern counts. */
  readonly times: number;
  /** Calls in a round; 1 but for cycles. */
  readonly length: number;
  /** What the call would answer if the loop went on; unset where that is not known. */
  readonly result?: string | undefined;
}

export const MAX_CYCLE = 5;

export const DEFAULT_LOOP_RULES: LoopRules = {
  repeat: { enabled: true, warnAt: 3, refuseAt: 4 },
  cycle: { enabled: true, warnAt: 3, refuseAt: 4 },
  sameResult: { enabled: true, warnAt: 3, refuseAt: 8 },
};

/** How many calls of a session these rules look at, the present one included. */
export function callsToKeep({ repeat, cycle, sameResult }: LoopRules): number {
  return Math.max(repeat.refuseAt, MAX_CYCLE * cycle.refuseAt, sameResult.refuseAt + 1);
}

/**
 * The loop that the last of these calls would go on with, if any; a reason to
 * refuse comes before a reason to warn. What only reads is in a loop when it
 * asks the same again: the answer cannot get better by that. What changes
 * something is in a loop only where its results repeat too, since "next page"
 * asks the same each time and is no loop.
 *
 * @param calls oldest first; the last one has not run
 */
export function findLoop(calls: readonly PastCall[], rules: LoopRules): Loop | undefined {
  const last = calls.at(-1);
  if (last === undefined || last.signature === "") return undefined;
  const { result } = calls.at(-2) ?? {};
  const loops = [
    judge(rules.repeat, { pattern: "repeat", times: repeats(calls, last), length: 1, result }),
    ...cycles(calls).map((cycle) => judge(rules.cycle, cycle)),
    judge(rules.sameResult, { pattern: "same_result", times: sameResults(calls, last), length: 1, result }),
  ].filter((loop) => loop !== undefined);
  return loops.find(({ action }) => action === "refuse") ?? loops[0];
}

function judge({ enabled, warnAt, refuseAt }: LoopLimit, found: Omit<Loop, "action">): Loop | undefined {
  if (!enabled || found.times < warnAt) return undefined;
  return { ...found, action: found.times >= refuseAt ? "refuse" : "warn" };
}

function repeats(calls: readonly PastCall[], last: PastCall): number {
  return last.readOnly ? lengthOfEnd(calls, ({ signature }) => signature === last.signature) : 0;
}

function sameResults(calls: readonly PastCall[], last: PastCall): number {
  const before = calls.slice(0, -1);
  const result = before.at(-1)?.result;
  if (!last.readOnly || result === undefined) return 0;
  return lengthOfEnd(before, (call) => call.signature !== "" && call.tool === last.tool && call.result === result);
}

/** How many at the end of the list are `like` that. */
function lengthOfEnd(calls: readonly PastCall[], like: (call: PastCall) => boolean): number {
  return calls.length - 1 - calls.findLastIndex((call) => !like(call));
}

/** Every cycle that the last call belongs to; `times` is the round that it is in. */
function cycles(calls: readonly PastCall[]): readonly Omit<Loop, "action">[] {
  const found: Omit<Loop, "action">[] = [];
  for (let length = 2; length <= MAX_CYCLE; length++) {
    const round = calls.slice(-length);
    if (round.length < length || new Set(round.map(({ signature }) => signature)).size < 2) continue;
    let matching = 0;
    while (repeatsAt(calls, calls.length - 1 - matching, length)) matching += 1;
    const times = Math.ceil(matching / length) + 1;
    found.push({ pattern: "cycle", times, length, result: calls.at(-1 - length)?.result });
  }
  return found;
}

/** Whether the call at `index` is the one `length` calls before it once more. */
function repeatsAt(calls: readonly PastCall[], index: number, length: number): boolean {
  const call = calls[index];
  const before = calls[index - length];
  if (call === undefined || before === undefined) return false;
  if (call.signature === "" || call.signature !== before.signature) return false;
  if (call.readOnly || index === calls.length - 1) return true;
  return call.result !== undefined && call.result === before.result;
}
