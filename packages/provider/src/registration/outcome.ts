import {
  type RegisterOutcome as OutcomeMessage,
  RefusalReason as Reason,
  RegisterStatus as Status,
} from "@toolgate/contract";

/** Why a tool was refused; "UNKNOWN" where the gateway is newer than this library. */
export type RefusalReason =
  | "NAME_TAKEN"
  | "INVALID_SCHEMA"
  | "AMBIGUOUS_NAME"
  | "FORBIDDEN"
  | "ADDRESS_NOT_ALLOWED"
  | "TOO_LARGE"
  | "UNKNOWN";

export interface AcceptedOutcome {
  readonly tool: string;
  /** The tool is new, has another definition now, or is as it was. */
  readonly status: "registered" | "updated" | "unchanged";
}

export interface RefusedOutcome {
  readonly tool: string;
  readonly status: "refused";
  readonly reason: RefusalReason;
  /** What is wrong, where, and what to do; the gateway's words. */
  readonly message: string;
}

/** What became of one tool at its registration. */
export type RegisterOutcome = AcceptedOutcome | RefusedOutcome;

const ACCEPTED: Partial<Record<Status, AcceptedOutcome["status"]>> = {
  [Status.REGISTERED]: "registered",
  [Status.UPDATED]: "updated",
  [Status.UNCHANGED]: "unchanged",
};

const REASONS: Partial<Record<Reason, RefusalReason>> = {
  [Reason.NAME_TAKEN]: "NAME_TAKEN",
  [Reason.INVALID_SCHEMA]: "INVALID_SCHEMA",
  [Reason.AMBIGUOUS_NAME]: "AMBIGUOUS_NAME",
  [Reason.FORBIDDEN]: "FORBIDDEN",
  [Reason.ADDRESS_NOT_ALLOWED]: "ADDRESS_NOT_ALLOWED",
  [Reason.TOO_LARGE]: "TOO_LARGE",
};

/** A status that this library does not know is not taken for a success. */
export function outcomeOf({ tool, status, reason, message }: OutcomeMessage): RegisterOutcome {
  const accepted = ACCEPTED[status];
  if (accepted !== undefined) return { tool, status: accepted };
  return { tool, status: "refused", reason: REASONS[reason] ?? "UNKNOWN", message };
}

export function isRefused(outcome: RegisterOutcome): outcome is RefusedOutcome {
  return outcome.status === "refused";
}

/** Whether it may be otherwise once another provider has gone. */
export function isContested(outcome: RegisterOutcome): boolean {
  return isRefused(outcome) && (outcome.reason === "NAME_TAKEN" || outcome.reason === "FORBIDDEN");
}
