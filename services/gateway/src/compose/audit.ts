import type { AuditEntry, AuditLog, CallObserver, Clock, DelegatedCalls } from "@toolgate/core";
import { openFileAuditLog } from "@toolgate/stores/file";
import { createMemoryAuditLog, createMemoryDelegatedCalls } from "@toolgate/stores/memory";
import type { Logger } from "pino";
import { type AuditObserver, AuditQueue } from "../audit/audit-queue.ts";
import { type AuditItem, callAudit, finishItem } from "../audit/call-audit.ts";
import type { AuditConfig } from "../config/config.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** Of a gateway without a file for them. */
const MEMORY_ENTRIES = 1_000;
const FLUSH_MS = 250;
/** A reader waits at most so long for what has just happened. */
const READ_FLUSH_MS = 1_000;
/** How long the caller of a delegated call may report its outcome, and how many calls may wait for that. */
const REPORT_WITHIN_MS = 3_600_000;
const MAX_UNREPORTED = 10_000;
const LOG_EVERY_MS = 10_000;

export interface Audit {
  /** Unset where the log is switched off. */
  readonly calls?: CallObserver;
  /** Takes what was no call. Never waits. */
  readonly add: (entry: AuditEntry) => void;
  /** Shows also what happened just now, unless the log hangs. Unset where the log is switched off. */
  readonly log?: Pick<AuditLog, "read">;
}

/** Calls that were handed back and may still be reported. */
export function rememberDelegated(clock: Clock): DelegatedCalls {
  return createMemoryDelegatedCalls({ clock, keepMs: REPORT_WITHIN_MS, capacity: MAX_UNREPORTED });
}

export interface AuditPorts {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "audit" | "auditWaiting">;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
}

/**
 * The audit log and what leads to it.
 *
 * @throws Error in words where the file cannot be written
 */
export async function openAudit(config: AuditConfig | undefined, ports: AuditPorts): Promise<Audit> {
  if (config === undefined) return { add() {} };
  const { clock, metrics, lifecycle } = ports;
  const log = await openLog(config, ports);
  const queue = new AuditQueue<AuditItem>({
    log,
    clock,
    observer: observerOf(ports),
    finish: (item) => finishItem(item, config.arguments),
  });
  metrics.auditWaiting(() => queue.waiting);
  lifecycle.onStop("audit log", FLUSH_MS + 50, async () => {
    if (await queue.stop(FLUSH_MS)) await log.close();
  });
  return {
    calls: callAudit(queue, clock),
    add: (entry) => queue.add({ entry }),
    log: {
      async read(query) {
        const late = Promise.withResolvers<void>();
        const timer = clock.schedule(READ_FLUSH_MS, late.resolve);
        await Promise.race([queue.flush(), late.promise]);
        timer.cancel();
        return log.read(query);
      },
    },
  };
}

async function openLog(config: AuditConfig, { clock, log }: AuditPorts): Promise<AuditLog> {
  const { file: path, maxFileBytes, maxFiles, maxAgeMs } = config;
  if (path === undefined) {
    const entries = MEMORY_ENTRIES;
    log.info({ entries }, "the audit log keeps only the newest entries, in memory; audit.file keeps them for good");
    return createMemoryAuditLog({ capacity: entries });
  }
  return openFileAuditLog({
    ...{ path, maxFileBytes, maxFiles, clock },
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
    onTorn: () => log.warn({ path }, "the last audit entry of an earlier run was cut by its end; it is left out"),
    onError: (error) => log.error({ error }, "an old file of the audit log could not be deleted"),
  });
}

/** Every lost entry is counted, and told in the log, but not each in a line of its own: there may be thousands. */
function observerOf({ metrics, log, clock }: AuditPorts): AuditObserver {
  const lost = new Map<string, { count: number; toldAt: number }>();
  return {
    written: (count) => metrics.audit("written", "", count),
    dropped(reason, count, error) {
      metrics.audit("dropped", reason, count);
      const now = clock.monotonic();
      const told = lost.get(reason) ?? { count: 0, toldAt: Number.NEGATIVE_INFINITY };
      const due = now - told.toldAt >= LOG_EVERY_MS;
      lost.set(reason, { count: due ? 0 : told.count + count, toldAt: due ? now : told.toldAt });
      if (due)
        log.error({ reason, count: told.count + count, error }, "entries of the audit log are lost; calls go on");
    },
    slow: (ms) => log.warn({ ms }, "the audit log takes long to write; entries wait, and calls go on"),
  };
}
