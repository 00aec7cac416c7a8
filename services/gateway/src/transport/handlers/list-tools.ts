import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ListToolsRequest,
  type ListToolsResponse,
  ListToolsResponseSchema,
  type MissingSource,
  MissingSourceSchema,
  type Tool as ToolMessage,
} from "@toolgate/contract";
import {
  emptyReasonOf,
  isListed,
  type ListFilter,
  listTools,
  type RegistryStore,
  type Snapshot,
  type ToolEntry,
  type ToolsetEntry,
} from "@toolgate/core";
import type { LastErrors } from "../../telemetry/last-errors.ts";
import { lastErrorToMessage, toolToMessage } from "../convert/tool.ts";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";
import { toolsetInList } from "./list-toolsets.ts";

/** A source whose tools are not all listed. */
export interface MissingTools {
  readonly source: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const MAX_PAGE = 1_000;

export interface ListToolsPorts {
  readonly registry: RegistryStore;
  readonly missing: () => readonly MissingTools[];
  readonly lastErrors: LastErrors;
}

/** ListTools: the same order every time, one page after the other. */
export function listToolsHandler({ registry, missing, lastErrors }: ListToolsPorts) {
  return async (request: ListToolsRequest, { caller }: RequestContext): Promise<ListToolsResponse> => {
    const snapshot = registry.snapshot();
    const generation = String(snapshot.generation);
    if (request.ifGeneration === generation) {
      return create(ListToolsResponseSchema, { generation, notModified: true });
    }
    const filter = filterOf(request);
    const entries = listTools(snapshot, filter).filter(({ tool }) => isListed(caller, tool));
    const start = startOf(request, entries);
    const page = entries.slice(
      start,
      start + (request.pageSize === 0 ? MAX_PAGE : Math.min(request.pageSize, MAX_PAGE)),
    );
    const end = start + page.length;
    const message = messagesOf(snapshot);
    const withLastError = (entry: ToolEntry) => {
      const error = lastErrors.of(snapshot, entry);
      return error === undefined ? message(entry) : { ...message(entry), lastError: lastErrorToMessage(error) };
    };
    return create(ListToolsResponseSchema, {
      generation,
      total: entries.length,
      emptyReason: entries.length === 0 ? emptyReasonOf(snapshot, filter, caller) : "",
      tools: page.map(withLastError),
      toolsets: toolsetsOf(snapshot, page).map((toolset) => toolsetInList(toolset, { snapshot, caller, lastErrors })),
      missing: missing().map(missingToMessage),
      nextPageToken: end < entries.length ? tokenFor(request, end, page.at(-1) as ToolEntry) : "",
    });
  };
}

function filterOf(request: ListToolsRequest): ListFilter {
  const { toolset, name, capability, tag, query, includeUnavailable } = request;
  return {
    includeUnavailable,
    ...(toolset === "" ? {} : { toolset }),
    ...(name === "" ? {} : { name }),
    ...(capability === "" ? {} : { capability }),
    ...(tag === "" ? {} : { tag }),
    ...(query === "" ? {} : { query }),
  };
}

// A tool's message depends on the snapshot for its health and instances, so it is kept for that snapshot only.
const messages = new WeakMap<Snapshot, Map<string, ToolMessage>>();

function messagesOf(snapshot: Snapshot): (entry: ToolEntry) => ToolMessage {
  let known = messages.get(snapshot);
  if (known === undefined) {
    known = new Map();
    messages.set(snapshot, known);
  }
  const all = known;
  return (entry) => {
    let message = all.get(entry.tool.name);
    if (message === undefined) {
      message = toolToMessage(snapshot, entry);
      all.set(entry.tool.name, message);
    }
    return message;
  };
}

function toolsetsOf(snapshot: Snapshot, page: readonly ToolEntry[]): readonly ToolsetEntry[] {
  const names = [...new Set(page.map(({ tool }) => tool.toolset))].sort();
  return names.flatMap((name) => snapshot.toolsets.get(name) ?? []);
}

function missingToMessage({ source, reason, since }: MissingTools): MissingSource {
  return create(MissingSourceSchema, { source, reason, since: timestampFromMs(since) });
}

/**
 * A list by name goes on after the last name, so tools that come or go between
 * pages shift nothing. A ranked list goes on at a place.
 */
function tokenFor(request: ListToolsRequest, end: number, last: ToolEntry): string {
  const place = request.query === "" ? { after: last.tool.name } : { at: end };
  return Buffer.from(JSON.stringify({ ...place, of: digestOf(request) })).toString("base64url");
}

function startOf(request: ListToolsRequest, entries: readonly ToolEntry[]): number {
  if (request.pageToken === "") return 0;
  const token = readToken(request.pageToken);
  if (token.of !== digestOf(request)) {
    throw new DoorError(
      "INVALID_ARGUMENT",
      "page_token belongs to a request with other filters. Start again without it.",
    );
  }
  if (token.at !== undefined) return token.at;
  const after = token.after ?? "";
  const start = entries.findIndex(({ tool }) => tool.name > after);
  return start === -1 ? entries.length : start;
}

/** Where the next page begins: after a name, or at a place; and a digest of the filters that it belongs to. */
interface PageToken {
  readonly after?: string;
  readonly at?: number;
  readonly of?: string;
}

function readToken(text: string): PageToken {
  try {
    const token = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as PageToken;
    const { after = "", at = 0 } = token;
    if (typeof after === "string" && Number.isSafeInteger(at) && at >= 0) return token;
  } catch {
    // Told below, in the same words as any other text that is no token.
  }
  throw new DoorError("INVALID_ARGUMENT", "page_token is not one that this gateway gave. Start again without it.");
}

function digestOf(request: ListToolsRequest): string {
  const { toolset, name, capability, tag, query, includeUnavailable } = request;
  const text = JSON.stringify([toolset, name, capability, tag, query, includeUnavailable]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
