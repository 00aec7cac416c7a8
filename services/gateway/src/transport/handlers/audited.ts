import { type AuditEntry, type Clock, cut, EMPTY_AUDIT_ENTRY } from "@toolgate/core";
import { DoorError } from "../door-error.ts";
import type { RequestContext } from "./context.ts";

export interface AuditedPorts {
  readonly clock: Clock;
  /** Takes an entry. Never waits. */
  readonly audit: (entry: AuditEntry) => void;
}

/** What an entry says of a request; `response` is unset where it failed. */
export type Told = Pick<AuditEntry, "kind" | "action"> & Partial<Pick<AuditEntry, "tool" | "toolset" | "detail">>;

type Handle = (request: never, context: RequestContext) => Promise<unknown>;

/** Says of each request what is written down; `undefined`: nothing. */
export type Tellers<H> = {
  readonly [M in keyof H]?: H[M] extends (request: infer I, context: RequestContext) => Promise<infer O>
    ? (request: I, response: O | undefined) => Told | undefined
    : never;
};

const MAX_NAME = 128;
const MAX_DETAIL = 500;

/** The same handlers, with an entry in the audit log for each request that is told of, also where it was refused. */
export function audited<H extends Readonly<Record<keyof H, Handle>>>(
  handlers: H,
  tellers: Tellers<H>,
  ports: AuditedPorts,
): H {
  const entries = Object.entries<Handle>(handlers).map(([name, handle]) => {
    const tell = (tellers as Record<string, Tell | undefined>)[name];
    return [name, tell === undefined ? handle : withEntry(handle, tell, ports)];
  });
  return Object.fromEntries(entries) as H;
}

type Tell = (request: never, response: unknown) => Told | undefined;

function withEntry(handle: Handle, tell: Tell, { clock, audit }: AuditedPorts): Handle {
  return async (request, context) => {
    const add = (response: unknown, code: string) => {
      const told = tell(request, response);
      if (told !== undefined) audit(entryOf(told, context, { code, now: clock.now(), ended: clock.monotonic() }));
    };
    try {
      const response = await handle(request, context);
      add(response, "");
      return response;
    } catch (thrown) {
      add(undefined, DoorError.from(thrown).code);
      throw thrown;
    }
  };
}

interface End {
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** On the monotonic clock. */
  readonly ended: number;
}

function entryOf(told: Told, { caller, door, receivedAt }: RequestContext, { code, now, ended }: End): AuditEntry {
  const latencyMs = Math.round((ended - receivedAt) * 10) / 10;
  const { kind, action, tool = "", toolset = "", detail = "" } = told;
  return {
    ...EMPTY_AUDIT_ENTRY,
    ...{ kind, action, code, door, latencyMs },
    time: Math.round(now - latencyMs),
    caller: caller.id,
    status: code === "" ? "success" : "error",
    tool: cut(tool, MAX_NAME),
    toolset: cut(toolset, MAX_NAME),
    detail: cut(detail, MAX_DETAIL),
  };
}
