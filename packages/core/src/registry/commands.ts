import type { Health } from "../tool/availability.ts";
import type { CheckSpec, Tool } from "../tool/tool.ts";
import type { Registrant } from "./snapshot.ts";

export type RefusalReason =
  | "NAME_TAKEN"
  | "INVALID_SCHEMA"
  | "AMBIGUOUS_NAME"
  | "FORBIDDEN"
  | "ADDRESS_NOT_ALLOWED"
  | "TOO_LARGE";

/** What became of one tool of a registration. */
export type RegisterOutcome =
  | { readonly tool: string; readonly status: "registered" | "updated" | "unchanged" }
  | {
      readonly tool: string;
      readonly status: "refused";
      readonly reason: RefusalReason;
      readonly message: string;
    };

export interface ToolsetOffer {
  readonly name: string;
  readonly source: string;
  readonly aliases: readonly string[];
  readonly check?: CheckSpec;
  /** Each with `toolset` equal to `name`. */
  readonly tools: readonly Tool[];
}

export interface RegisterCommand {
  readonly type: "register";
  readonly registrant: Registrant;
  readonly lease: { readonly id: string; readonly durationMs: number; readonly expiresAt: number };
  /** Of this process, where a tool is served by it. */
  readonly address?: string;
  readonly toolsets: readonly ToolsetOffer[];
  /** Remove what this lease had and does not offer any more. */
  readonly replace: boolean;
  /** Names that `replace` leaves alone, such as those whose new definition was refused. */
  readonly keep: ReadonlySet<string>;
}

/**
 * Everything that changes the registry, as data: a store applies a command
 * as one step, in memory or in a script of its own.
 */
export type Command =
  | RegisterCommand
  | { readonly type: "renew"; readonly leaseId: string; readonly registrantId: string; readonly now: number }
  | {
      readonly type: "deregister";
      readonly leaseId: string;
      readonly registrantId: string;
      /** Empty: all, and the lease ends. */
      readonly tools: readonly string[];
    }
  | { readonly type: "expire"; readonly now: number }
  | { readonly type: "setHealth"; readonly checkKey: string; readonly health: Health }
  /** For a check that nothing uses any more; without effect while something does. */
  | { readonly type: "dropHealth"; readonly checkKey: string }
  | { readonly type: "setToolEnabled"; readonly tool: string; readonly enabled: boolean }
  | { readonly type: "setToolsetEnabled"; readonly toolset: string; readonly enabled: boolean };

export interface CommandResult {
  /** For `register`: one per offered tool, in order. Else empty. */
  readonly outcomes: readonly RegisterOutcome[];
  /**
   * For `deregister`, `set…Enabled`: whether there was such a thing. For
   * `renew`: whether the lease lives and all its tools are there; else its
   * owner registers again. For others true.
   */
  readonly known: boolean;
  /** Names of tools that are gone, sorted. */
  readonly removed: readonly string[];
  /** For `renew`: how long the lease lasts from now. */
  readonly leaseMs?: number;
}
