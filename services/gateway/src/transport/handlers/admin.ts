import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type GetStatusRequest,
  type GetStatusResponse,
  GetStatusResponseSchema,
  type ListClientsRequest,
  type ListClientsResponse,
  ListClientsResponseSchema,
  type ReloadRequest,
  type ReloadResponse,
  ReloadResponseSchema,
  type SetToolEnabledRequest,
  type SetToolEnabledResponse,
  SetToolEnabledResponseSchema,
  type SetToolsetEnabledRequest,
  type SetToolsetEnabledResponse,
  SetToolsetEnabledResponseSchema,
  type SourceProblem,
  SourceProblemSchema,
} from "@toolgate/contract";
import { type Caller, type RegistryStore, resolveToolset, toolsetsByName } from "@toolgate/core";
import { toolsetToMessage } from "../convert/tool.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";

/** One thing that is wrong in a source of tools; line and column from 1, 0 where there is no place. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface ReloadOutcome {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly problems: readonly Problem[];
}

export interface AdminPorts {
  readonly registry: RegistryStore;
  readonly clients: readonly Caller[];
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly state: () => string;
  readonly callsInFlight: () => number;
  readonly problems: () => readonly Problem[];
  readonly reload: () => Promise<ReloadOutcome>;
}

/** AdminService: for callers with `admin` only. */
export function adminHandlers(ports: AdminPorts) {
  const { registry } = ports;
  return {
    async reload(_request: ReloadRequest, context: RequestContext): Promise<ReloadResponse> {
      requireAdmin(context);
      const { added, changed, removed, problems } = await ports.reload();
      return create(ReloadResponseSchema, {
        added: [...added],
        changed: [...changed],
        removed: [...removed],
        problems: problems.map(problemToMessage),
        generation: String(registry.snapshot().generation),
      });
    },

    async getStatus(_request: GetStatusRequest, context: RequestContext): Promise<GetStatusResponse> {
      requireAdmin(context);
      const snapshot = registry.snapshot();
      return create(GetStatusResponseSchema, {
        state: ports.state(),
        version: ports.version,
        startedAt: timestampFromMs(ports.startedAt),
        generation: String(snapshot.generation),
        tools: snapshot.tools.size,
        toolsets: toolsetsByName(snapshot).map((toolset) => toolsetToMessage(snapshot, toolset)),
        callsInFlight: ports.callsInFlight(),
        problems: ports.problems().map(problemToMessage),
      });
    },

    async listClients(_request: ListClientsRequest, context: RequestContext): Promise<ListClientsResponse> {
      requireAdmin(context);
      const clients = ports.clients
        .map(({ id, admin, scopes }) => ({ id, admin, scopes: [...(scopes ?? [])].sort() }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      return create(ListClientsResponseSchema, { clients });
    },

    async setToolEnabled(request: SetToolEnabledRequest, context: RequestContext): Promise<SetToolEnabledResponse> {
      requireAdmin(context);
      const { tool, enabled } = request;
      const { known } = await registry.apply({ type: "setToolEnabled", tool, enabled });
      return create(SetToolEnabledResponseSchema, { known, generation: String(registry.snapshot().generation) });
    },

    async setToolsetEnabled(
      request: SetToolsetEnabledRequest,
      context: RequestContext,
    ): Promise<SetToolsetEnabledResponse> {
      requireAdmin(context);
      const toolset = resolveToolset(registry.snapshot(), request.toolset)?.name ?? request.toolset;
      const { known } = await registry.apply({ type: "setToolsetEnabled", toolset, enabled: request.enabled });
      return create(SetToolsetEnabledResponseSchema, { known, generation: String(registry.snapshot().generation) });
    },
  };
}

/** @throws DoorError PERMISSION_DENIED for everybody else */
export function requireAdmin({ caller }: RequestContext): void {
  if (caller.admin) return;
  throw new DoorError(
    "PERMISSION_DENIED",
    `The client "${caller.id}" is not an admin. Set "admin: true" on it to allow this.`,
  );
}

function problemToMessage(problem: Problem): SourceProblem {
  return create(SourceProblemSchema, problem);
}
