import {
  type CallEnding,
  type CallObserver,
  cut,
  type EnvelopeError,
  type ErrorCode,
  type Health,
  type RegisterOutcome,
  type Registrant,
  type RegistryStore,
  type Snapshot,
  type ToolEntry,
  type ToolsetEntry,
  toolHealth,
  toolsetHealth,
} from "@toolgate/core";

/** What last went wrong with a tool or toolset, in words that hold nothing of any call. */
export interface LastError {
  readonly during: "check" | "call" | "registration";
  /** Error code or reason of the refusal; empty for a check. */
  readonly code: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Empty for the check of a toolset. */
  readonly tool: string;
}

interface Remembered extends LastError {
  /** A name that has another owner now is another tool. */
  readonly registrantId: string;
}

const MAX_MESSAGE = 1_024;
const MAX_STATUS = 64;
/** Names of tools that are gone are dropped once there are so many more than tools. */
const SLACK = 1_000;

/**
 * What this process remembers of failed calls and refused definitions: one
 * for each tool. What checks said is in the registry.
 */
export class LastErrors {
  readonly #registry: RegistryStore;
  readonly #now: () => number;
  readonly #newest = new Map<string, Remembered>();

  constructor(registry: RegistryStore, now: () => number) {
    this.#registry = registry;
    this.#now = now;
  }

  /** How many tools it remembers something of, some of which may be gone. */
  get remembered(): number {
    return this.#newest.size;
  }

  readonly calls: CallObserver = {
    started() {},
    ended: (ending) => {
      if (ending.envelope.status === "error") this.#ended(ending, ending.envelope.error);
    },
  };

  /** A refused definition is an error of the owner's own tool; of somebody else's it is none. */
  registration(outcome: RegisterOutcome, registrant: Registrant): void {
    if (outcome.status !== "refused") return;
    const { tool, reason, message } = outcome;
    const entry = this.#registry.snapshot().tools.get(tool);
    if (entry?.registrant.id === registrant.id)
      this.#remember(entry, { during: "registration", code: reason, message });
  }

  of(snapshot: Snapshot, entry: ToolEntry): LastError | undefined {
    const { name } = entry.tool;
    const known = this.#newest.get(name);
    const own = known?.registrantId === entry.registrant.id ? known : undefined;
    return later(own, ofCheck(toolHealth(snapshot, entry), name));
  }

  /** @param shows whether what happens to this tool may be told */
  ofToolset(snapshot: Snapshot, toolset: ToolsetEntry, shows: (entry: ToolEntry) => boolean): LastError | undefined {
    let newest = ofCheck(toolsetHealth(snapshot, toolset), "");
    for (const name of toolset.tools) {
      const entry = snapshot.tools.get(name);
      if (entry !== undefined && shows(entry)) newest = later(newest, this.of(snapshot, entry));
    }
    return newest;
  }

  #ended({ entry, envelope }: CallEnding, error: EnvelopeError): void {
    if (entry === undefined || envelope.meta.attempts === 0) return;
    const message = messageOf(error);
    if (message !== undefined) this.#remember(entry, { during: "call", code: error.code, message });
  }

  #remember({ tool: { name }, registrant }: ToolEntry, error: Pick<LastError, "during" | "code" | "message">): void {
    const message = cut(error.message, MAX_MESSAGE);
    this.#newest.set(name, { ...error, message, at: this.#now(), tool: name, registrantId: registrant.id });
    const { tools } = this.#registry.snapshot();
    if (this.#newest.size <= tools.size + SLACK) return;
    for (const known of this.#newest.keys()) if (!tools.has(known)) this.#newest.delete(known);
  }
}

const GENERAL: Partial<Record<ErrorCode, string>> = {
  RESULT_INVALID: "The answer could not be used; the envelope of the call says where.",
  RESULT_TOO_LARGE: "The answer was larger than the tool's response.max_bytes.",
};
/** The gateway's own words, made of the tool's name, its address and what the network did. */
const FREE_OF_THE_CALL: ReadonlySet<ErrorCode> = new Set(["BACKEND_UNREACHABLE", "BACKEND_TIMEOUT", "OUTCOME_UNKNOWN"]);

/** What everyone who may call the tool may read: never what one caller sent or was answered. */
function messageOf({ code, message, backendAnswer }: EnvelopeError): string | undefined {
  if (FREE_OF_THE_CALL.has(code)) return message;
  if (code !== "TOOL_ERROR") return GENERAL[code];
  const status = cut(backendAnswer?.status ?? "", MAX_STATUS);
  return `The tool answered with an error${status === "" ? "" : ` (${status})`}.`;
}

function ofCheck({ lastFailure }: Health, tool: string): LastError | undefined {
  return lastFailure && { during: "check", code: "", message: lastFailure.reason, at: lastFailure.at, tool };
}

function later(a: LastError | undefined, b: LastError | undefined): LastError | undefined {
  return b === undefined || (a !== undefined && a.at >= b.at) ? a : b;
}
