import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { hostPort } from "./address.ts";
import { CallsInFlight } from "./calls/calls-in-flight.ts";
import { openProviderServer } from "./calls/provider-server.ts";
import { logWith } from "./log.ts";
import { type Provider, RunningProvider } from "./provider.ts";
import { openGatewayLink } from "./registration/gateway-link.ts";
import type { GatewayProblem } from "./registration/gateway-problem.ts";
import { Lease, type LeaseTerms } from "./registration/lease.ts";
import { isRefused, type RegisterOutcome } from "./registration/outcome.ts";
import { readOptions, type ServeOptions, type Settings } from "./serve-options.ts";
import { stopOnSignal } from "./signals.ts";

/** With `strict`: the first registration did not come about, or not for every tool. */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
  /** Empty where the gateway did not answer. */
  readonly outcomes: readonly RegisterOutcome[];

  constructor(message: string, outcomes: readonly RegisterOutcome[], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.outcomes = outcomes;
  }
}

/**
 * Serves tools and keeps them registered until it is stopped. Resolves after
 * the first try to register, also where there is no gateway (yet) or a tool is
 * refused: `state`, `problem` and `outcomes` tell.
 *
 * @throws TypeError or RangeError where an option cannot be used; Error where
 * it cannot listen; with `strict`, {@link RegistrationError}.
 */
export async function serve(options: ServeOptions): Promise<Provider> {
  const settings = readOptions(options);
  const { tools, instanceId, maxConcurrent, graceMs } = settings;
  const { check, onState, onRefused } = options;
  const log = logWith(settings.log, { toolset: options.toolset });
  const calls = new CallsInFlight();
  const ports = { tools, calls, log, check, maxConcurrent, now: Date.now };
  const server = await openProviderServer(settings.listen, ports);
  const link = openGatewayLink(settings.gateway, settings.apiKey);
  const address = settings.advertise ?? hostPort(server.listening);
  const lease = new Lease(link, leaseTerms(options, settings, address));
  const provider = new RunningProvider({
    ...{ address, instanceId, server, link, lease, calls, graceMs, log },
    ...{ random: Math.random, onState, onRefused },
  });
  const problem = await provider.attempt();
  if (options.strict === true) await requireRegistered(provider, problem);
  provider.keep(options.handleSignals === false ? () => {} : stopOnSignal(() => provider.stop()));
  return provider;
}

function leaseTerms(options: ServeOptions, settings: Settings, address: string): LeaseTerms {
  const { toolset, tools, aliases = [], check } = options;
  const { instanceId, leaseSecret, leaseMs } = settings;
  const request = {
    toolset,
    tools: tools.map(({ definition }) => definition),
    instanceId,
    address,
    lease: durationFromMs(leaseMs),
    leaseSecret,
    aliases: [...aliases],
    check: check !== undefined,
    // What this process no longer offers must go, also where an older version of it registered more.
    replace: true,
  };
  return { request, leaseMs };
}

async function requireRegistered(provider: Provider, problem: GatewayProblem | undefined): Promise<void> {
  const refused = provider.outcomes.filter(isRefused);
  if (problem === undefined && refused.length === 0) return;
  await provider.stop();
  if (problem !== undefined) throw new RegistrationError(problem.message, provider.outcomes, problem);
  const each = refused.map(({ tool, reason, message }) => `${tool}: ${reason}, ${message}`);
  throw new RegistrationError(`The gateway refused ${each.join("; ")}`, provider.outcomes);
}
