import { type AuditEntry, type AuditFilter, parseJson } from "@toolgate/client";
import { auditLine, type JsonObject } from "@toolgate/core";
import { EXIT, UsageError } from "../exit-codes.ts";
import { type GatewayOptions, withGateway } from "../gateway-options.ts";
import { readSince } from "../params/read-since.ts";
import { auditTable } from "../render/audit-table.ts";
import type { Terminal } from "../terminal.ts";

export interface AuditCommandOptions extends GatewayOptions {
  readonly caller?: string;
  readonly tool?: string;
  readonly call?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly limit: string;
  readonly json?: boolean;
}

const MAX_PAGE = 1_000;

/** `toolgate audit`: what happened, newest first. With --json the same lines as in the log's own file. */
export async function auditCommand(options: AuditCommandOptions, terminal: Terminal): Promise<number> {
  const { out, err } = terminal;
  const { caller, tool, call: callId, kind, since, json = false } = options;
  const limit = readLimit(options.limit);
  const filter: AuditFilter = {
    ...(caller === undefined ? {} : { caller }),
    ...(tool === undefined ? {} : { tool }),
    ...(callId === undefined ? {} : { callId }),
    ...(kind === undefined ? {} : { kind }),
    ...(since === undefined ? {} : { since: readSince(since, Date.now()) }),
  };
  const entries: AuditEntry[] = [];
  const more = await withGateway(options, terminal, async (client, signal) => {
    let pageToken: string | undefined;
    do {
      const pageSize = Math.min(MAX_PAGE, limit - entries.length);
      const page = await client.readAuditLog(filter, {
        signal,
        pageSize,
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      entries.push(...page.entries);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && entries.length < limit);
    return pageToken !== undefined;
  });
  if (json) out.write(entries.map((entry) => `${lineOf(entry)}\n`).join(""));
  else if (entries.length > 0) out.write(auditTable(entries, out));
  if (entries.length === 0) err.write("No entries.\n");
  else if (more && !json) err.write(err.style("dim", `There is more: toolgate audit --limit ${limit * 10}\n`));
  return EXIT.ok;
}

function lineOf({ time, argumentsJson, ...rest }: AuditEntry): string {
  const args = argumentsJson === "" ? {} : { arguments: parseJson(argumentsJson) as JsonObject };
  const entry = { ...rest, ...args, kind: rest.kind as "call", time: time?.getTime() ?? 0 };
  return auditLine(entry, (time ?? new Date(0)).toISOString());
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000_000) return limit;
  throw new UsageError(`--limit: Expected a whole number from 1 to 1000000, not ${JSON.stringify(text)}.`);
}
