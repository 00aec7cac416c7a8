/**
 * Health of a tool or toolset. `degraded` is served: a part of it fails, or
 * its last probe failed once. `unknown` is served too: the first probe has
 * not ended.
 */
export type HealthState = "healthy" | "degraded" | "unavailable" | "unknown";

export interface Health {
  readonly state: HealthState;
  /** For people; empty when healthy. */
  readonly reason: string;
  /** Milliseconds since the epoch; unset where nothing was probed. */
  readonly checkedAt?: number;
  /** The newest "no" of the check, also when it says yes again. */
  readonly lastFailure?: CheckFailure;
}

export interface CheckFailure {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const HEALTHY: Health = { state: "healthy", reason: "" };

/** What the prober remembers of one check. */
export interface CheckHistory {
  readonly lastSuccessAt?: number;
  readonly health: Health;
}

export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** An answer is good for this long; then the check is probed again. */
export const CHECK_CACHE_MS = 30_000;
/** A failure this soon after a success is taken for a flake. */
export const CHECK_GRACE_MS = 60_000;
/** What is not healthy is probed again after this, so that its return is seen soon. */
export const UNHEALTHY_RECHECK_MS = 5_000;

export const UNPROBED: CheckHistory = {
  health: { state: "unknown", reason: "not checked yet" },
};

/**
 * What a probe means: a failure within {@link CHECK_GRACE_MS} of a success is
 * a flake (degraded, still served); after that it counts.
 */
export function judge(history: CheckHistory, result: ProbeResult, now: number): CheckHistory {
  if (result.ok) return { lastSuccessAt: now, health: { ...HEALTHY, checkedAt: now, ...failureIn(history) } };
  const flake = history.lastSuccessAt !== undefined && now - history.lastSuccessAt < CHECK_GRACE_MS;
  const health: Health = {
    state: flake ? "degraded" : "unavailable",
    reason: result.reason,
    checkedAt: now,
    lastFailure: { reason: result.reason, at: now },
  };
  return history.lastSuccessAt === undefined ? { health } : { lastSuccessAt: history.lastSuccessAt, health };
}

function failureIn({ health: { lastFailure } }: CheckHistory): Pick<Health, "lastFailure"> {
  return lastFailure === undefined ? {} : { lastFailure };
}

/** Milliseconds until the check wants another probe. */
export function nextProbeIn(history: CheckHistory): number {
  return history.health.state === "healthy" ? CHECK_CACHE_MS : UNHEALTHY_RECHECK_MS;
}

export function isUsable(health: Health): boolean {
  return health.state !== "unavailable";
}
