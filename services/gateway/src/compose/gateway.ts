import { randomUUID } from "node:crypto";
import { createProviderClients } from "@toolgate/backends/provider";
import type { Clock, Snapshot } from "@toolgate/core";
import { createDispatcher } from "@toolgate/dispatch";
import { admissionRules, HealthProber, Registrar, SnapshotFeed } from "@toolgate/registrar";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import type { Logger } from "pino";
import type { GatewayConfig } from "../config/config.ts";
import { authenticator } from "../identity/authenticate.ts";
import { callerOf } from "../identity/client-config.ts";
import { Lifecycle } from "../lifecycle/lifecycle.ts";
import { allObservers, callLog } from "../telemetry/call-log.ts";
import { LastErrors } from "../telemetry/last-errors.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { adminHandlers, type Problem, type ReloadOutcome } from "../transport/handlers/admin.ts";
import { audited } from "../transport/handlers/audited.ts";
import { callHandler } from "../transport/handlers/call.ts";
import { listToolsHandler } from "../transport/handlers/list-tools.ts";
import { listToolsetsHandler } from "../transport/handlers/list-toolsets.ts";
import { readAuditLogHandler } from "../transport/handlers/read-audit-log.ts";
import { registrationHandlers } from "../transport/handlers/registration.ts";
import { reportOutcomeHandler } from "../transport/handlers/report-outcome.ts";
import { adminTellers, registrationTellers } from "../transport/handlers/tellers.ts";
import { watchToolsetsHandler } from "../transport/handlers/watch-toolsets.ts";
import { VERSION } from "../version.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import { openAudit, rememberDelegated } from "./audit.ts";
import { builtinToolsets, createBackends, createProbes, offerBuiltin } from "./backends.ts";
import { type Doors, openDoors } from "./doors.ts";
import { createLanguages } from "./languages.ts";
import { createLimits } from "./limits.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { networkRules } from "./network-rules.ts";
import { outcomeLog } from "./outcome-log.ts";
import { openResultCache, privacyOf } from "./result-cache.ts";
import { createScripts } from "./scripts.ts";
import { systemClock } from "./system-clock.ts";
import { openToolFiles } from "./tool-files-source.ts";

export interface RunningGateway {
  readonly doors: Doors;
  readonly snapshot: () => Snapshot;
  /** What is wrong in the sources of tools now. */
  readonly problems: () => readonly Problem[];
  reload(): Promise<ReloadOutcome>;
  /** Resolves when every check has been answered once, and every service of the doors is there. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Puts a gateway together and starts it. This is the one place where concrete
 * things are chosen; each of them is handed what it needs.
 *
 * @throws Error in words where it cannot start, such as on a taken port.
 */
export async function startGateway(
  config: GatewayConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<RunningGateway> {
  const startedAt = clock.now();
  const lifecycle = new Lifecycle(log);
  const store = createMemoryRegistryStore({
    epoch: randomUUID(),
    firstGeneration: startedAt,
    onError: (error) => log.error({ error }, "a listener of the registry failed"),
  });
  const metrics = createMetrics(store);
  const audit = await openAudit(config.audit, { clock, metrics, lifecycle, log });
  const { schemas, paths } = createLanguages();
  const builtin = builtinToolsets(config);
  const hosts = allowedHosts(config.registration.allowedHosts);
  const providers = createProviderClients({ allowAddress: hosts.allowsAddress });
  const backends = createBackends(builtin, { hosts, providers });
  lifecycle.onStop("backends", 400, async () => {
    await Promise.all([...backends.values()].map((backend) => backend.close()));
  });

  const lastErrors = new LastErrors(store, () => clock.now());
  const onOutcome = outcomeLog({ metrics, lastErrors, log });
  const onError = (error: unknown) => log.error({ error }, "the registry could not be written");
  const registrar = new Registrar({
    store,
    clock,
    rules: admissionRules({ schemas, paths, backends }),
    onOutcome,
    onError,
  });
  const registrant = { id: "builtin", label: "the gateway itself" };
  await registrar.register({ registrant, instanceId: "builtin", toolsets: offerBuiltin(builtin), replace: true });
  const scripts = createScripts(log);
  lifecycle.onStop("scripts", 400, () => scripts.close());
  const files = await openToolFiles({ config, registrar, scripts, lifecycle, log });
  registrar.start();
  lifecycle.onStop("registrar", 100, () => registrar.stop());

  const probes = createProbes(store, providers);
  const prober = new HealthProber({ store, probes, clock, random: Math.random, onError });
  prober.start();
  lifecycle.onStop("health prober", 100, () => prober.stop());
  const feed = new SnapshotFeed(store);
  lifecycle.onStop("snapshot feed", 100, () => feed.close());
  metrics.watchers(() => feed.readers);

  const observer = allObservers([metrics.calls, lastErrors.calls, callLog(log), audit.calls], (error) =>
    log.error({ error }, "an observer failed"),
  );
  const loops = createLoopGuard(config.loopGuard, { clock, metrics, log });
  const limits = createLimits({ config, clock, metrics, log });
  const delegated = rememberDelegated(clock);
  const dispatcher = createDispatcher({
    registry: store,
    backends,
    schemas,
    paths,
    scripts,
    observer,
    clock,
    random: Math.random,
    loops,
    limits,
    delegated,
    cache: openResultCache({ config, backends, metrics, clock }),
    batch: { isPrivate: privacyOf(backends), observer: metrics.batches },
  });
  const call = callHandler(dispatcher);
  const listTools = listToolsHandler({ registry: store, missing: () => files.missing(), lastErrors });
  const reportOutcome = reportOutcomeHandler({ delegated, clock, audit: audit.add, count: metrics.reported });
  const keyed = config.clients.length > 0;
  const told = { clock, audit: audit.add };
  const rules = networkRules(hosts, config.registration.allowedHosts);
  const doors = await openOrStop(lifecycle, () =>
    openDoors({
      config,
      lifecycle,
      authenticate: authenticator(config.clients),
      clock,
      metrics,
      log,
      http: { call, listTools, reportOutcome, listToolsets: listToolsetsHandler(store, lastErrors) },
      gateway: {
        call,
        listTools,
        reportOutcome,
        watchToolsets: watchToolsetsHandler({ feed, clock, draining: lifecycle.draining }),
        ...audited(registrationHandlers({ registrar, registry: store, keyed, rules }), registrationTellers, told),
      },
      admin: {
        ...audited(
          adminHandlers({
            registry: store,
            clients: config.clients.map(callerOf),
            version: VERSION,
            startedAt,
            state: () => lifecycle.state,
            callsInFlight: metrics.callsInFlight,
            problems: files.problems,
            reload: files.reload,
          }),
          adminTellers,
          told,
        ),
        readAuditLog: readAuditLogHandler(audit.log),
      },
    }),
  );
  lifecycle.ready();
  return {
    doors,
    snapshot: () => store.snapshot(),
    problems: files.problems,
    reload: files.reload,
    settled: async () => {
      await Promise.all([prober.settled(), doors.complete]);
    },
    stop: () => lifecycle.stop(),
  };
}

async function openOrStop(lifecycle: Lifecycle, open: () => Promise<Doors>): Promise<Doors> {
  try {
    return await open();
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
