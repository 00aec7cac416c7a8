import { timestampDate } from "@bufbuild/protobuf/wkt";
import { AdminService, type GetStatusResponse, type ReloadResponse, type SourceProblem } from "@toolgate/contract";
import { type AuditFilter, type AuditPage, type AuditPageOptions, auditPageOf, auditRequest } from "./audit-log.ts";
import { type ListedToolset, toolsetOf } from "./listing.ts";
import type { Requester, RequestOptions } from "./requester.ts";

/** What operators do. Needs a key with `admin` where the gateway has keys. */
export interface OperatorMethods {
  /** Makes the gateway read its files again. */
  reload(options?: RequestOptions): Promise<ReloadResult>;
  /** How the gateway is. */
  status(options?: RequestOptions): Promise<GatewayStatus>;
  /** One page of the audit log, newest first. */
  readAuditLog(filter?: AuditFilter, options?: AuditPageOptions): Promise<AuditPage>;
  /** Switches a tool on or off; answers whether there is one. A tool that is off is not listed, and calls to it are refused. */
  setToolEnabled(tool: string, enabled: boolean, options?: RequestOptions): Promise<boolean>;
  /** The same for all tools of a toolset, by its name or an alias. */
  setToolsetEnabled(toolset: string, enabled: boolean, options?: RequestOptions): Promise<boolean>;
}

export function operatorMethods(requester: Requester): OperatorMethods {
  const { reload, getStatus, readAuditLog, setToolEnabled, setToolsetEnabled } = AdminService.method;
  return {
    reload: async (options) => reloadResultOf(await requester.send(reload, {}, options)),
    status: async (options) => statusOf(await requester.send(getStatus, {}, options)),
    readAuditLog: async (filter = {}, options = {}) =>
      auditPageOf(await requester.send(readAuditLog, auditRequest(filter, options), options)),
    setToolEnabled: async (tool, enabled, options) =>
      (await requester.send(setToolEnabled, { tool, enabled }, options)).known,
    setToolsetEnabled: async (toolset, enabled, options) =>
      (await requester.send(setToolsetEnabled, { toolset, enabled }, options)).known,
  };
}

/** What reading the files again changed. */
export interface ReloadResult {
  /** Names of tools, sorted. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What could not be read; the tools of these files stay as they were. */
  readonly problems: readonly FileProblem[];
  readonly generation: string;
}

/** One thing wrong in a file; line and column count from 1 and are 0 where there is no place. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface GatewayStatus {
  /** "starting", "ready", "draining" or "stopped". */
  readonly state: string;
  readonly version: string;
  readonly startedAt: Date | undefined;
  readonly generation: string;
  readonly tools: number;
  readonly toolsets: readonly ListedToolset[];
  readonly callsInFlight: number;
  readonly problems: readonly FileProblem[];
}

function reloadResultOf({ added, changed, removed, problems, generation }: ReloadResponse): ReloadResult {
  return { added, changed, removed, problems: problems.map(problemOf), generation };
}

function statusOf(response: GetStatusResponse): GatewayStatus {
  const { state, version, startedAt, generation, tools, toolsets, callsInFlight, problems } = response;
  return {
    ...{ state, version, generation, tools, callsInFlight },
    startedAt: startedAt && timestampDate(startedAt),
    toolsets: toolsets.map(toolsetOf),
    problems: problems.map(problemOf),
  };
}

function problemOf({ file, line, column, message }: SourceProblem): FileProblem {
  return { file, line, column, message };
}
