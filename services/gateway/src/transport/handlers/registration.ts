import { create } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";
import {
  type DeregisterRequest,
  type DeregisterResponse,
  DeregisterResponseSchema,
  type HeartbeatRequest,
  type HeartbeatResponse,
  HeartbeatResponseSchema,
  type RegisterRequest,
  type RegisterResponse,
  RegisterResponseSchema,
} from "@toolgate/contract";
import { isLegalName, notLegal, type Registrant, type RegistryStore } from "@toolgate/core";
import type { AdmissionRule, Registrar } from "@toolgate/registrar";
import { sha256 } from "../../identity/authenticate.ts";
import { definitionFromMessage, outcomeToMessage, toolsetCheckFrom } from "../convert/registration.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";

const DEFAULT_LEASE_MS = 30_000;
const MIN_LEASE_MS = 5_000;
const MAX_LEASE_MS = 3_600_000;
const MAX_TOOLS = 10_000;
const MIN_SECRET = 16;
const MAX_SECRET = 256;

export interface RegistrationPorts {
  readonly registrar: Registrar;
  readonly registry: RegistryStore;
  /** Whether callers are known by API key. */
  readonly keyed: boolean;
  /** What only tools that come over the network must fulfil, such as where they may point. */
  readonly rules: (address: string) => readonly AdmissionRule[];
}

/** Register, Heartbeat and Deregister: the caller's own tools, and nobody else's. */
export function registrationHandlers({ registrar, registry, keyed, rules }: RegistrationPorts) {
  return {
    async register(request: RegisterRequest, context: RequestContext): Promise<RegisterResponse> {
      checkRequest(request);
      const registrant = registrantOf(request, context, keyed);
      const leaseMs = leaseOf(request);
      const source = `${registrant.label} (${request.instanceId})`;
      const tools = request.tools.map((tool) => ({ definition: definitionFromMessage(tool), source }));
      const check = toolsetCheckFrom(request);
      const toolset = { name: request.toolset, aliases: request.aliases, tools };
      const result = await registrar.register({
        registrant,
        instanceId: `${request.toolset}\0${request.instanceId}`,
        leaseMs,
        toolsets: [check === undefined ? toolset : { ...toolset, check }],
        replace: request.replace,
        rules: rules(request.address),
        ...(request.address === "" ? {} : { address: request.address }),
      });
      return create(RegisterResponseSchema, {
        outcomes: result.outcomes.map(outcomeToMessage),
        leaseId: result.leaseId,
        lease: durationFromMs(leaseMs),
        generation: String(result.generation),
      });
    },

    async heartbeat(request: HeartbeatRequest, context: RequestContext): Promise<HeartbeatResponse> {
      const { id } = registrantOf(request, context, keyed);
      const { known, leaseMs } = await registrar.heartbeat(request.leaseId, id);
      const response = create(HeartbeatResponseSchema, { known });
      if (leaseMs !== undefined) response.lease = durationFromMs(leaseMs);
      return response;
    },

    async deregister(request: DeregisterRequest, context: RequestContext): Promise<DeregisterResponse> {
      const { id } = registrantOf(request, context, keyed);
      const { known, removed } = await registrar.deregister(request.leaseId, id, request.tools);
      const generation = String(registry.snapshot().generation);
      return create(DeregisterResponseSchema, { known, removed: [...removed], generation });
    },
  };
}

function checkRequest(request: RegisterRequest): void {
  const { toolset, instanceId, tools, aliases, check, address } = request;
  const wrong = [toolset, ...aliases].find((name) => !isLegalName(name));
  if (wrong !== undefined) throw invalid(notLegal("toolset name or alias", wrong));
  if (instanceId === "" || instanceId.length > 128) {
    throw invalid("instance_id must be 1 to 128 characters that name this process among its replicas.");
  }
  if (check && address === "") throw invalid("check needs the address at which this process can be asked.");
  if (tools.length > MAX_TOOLS) throw invalid(`A registration holds at most ${MAX_TOOLS} tools, not ${tools.length}.`);
}

function leaseOf({ lease }: RegisterRequest): number {
  if (lease === undefined) return DEFAULT_LEASE_MS;
  const ms = durationMs(lease);
  if (ms >= MIN_LEASE_MS && ms <= MAX_LEASE_MS) return ms;
  throw invalid(`lease must be 5 s to 1 h, not ${ms / 1000} s.`);
}

/**
 * Ownership is who the caller is, never a name it gives: its API key where
 * there are keys, else the secret that it chose.
 */
function registrantOf(request: { leaseSecret: string }, { caller }: RequestContext, keyed: boolean): Registrant {
  const { leaseSecret } = request;
  if (keyed) {
    if (leaseSecret !== "") throw invalid("lease_secret is only for gateways without API keys; leave it out.");
    return { id: `client:${caller.id}`, label: `client "${caller.id}"` };
  }
  if (leaseSecret.length < MIN_SECRET || leaseSecret.length > MAX_SECRET) {
    throw invalid(
      "lease_secret must be 16 to 256 characters: it proves that later calls come from you. Keep it secret.",
    );
  }
  const digest = sha256(leaseSecret);
  return { id: `secret:${digest}`, label: `a registered process (${digest.slice(0, 8)})` };
}

function invalid(message: string): DoorError {
  return new DoorError("INVALID_ARGUMENT", message);
}
