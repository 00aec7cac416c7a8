import type { ClientErrorCode } from "@toolgate/client";

/** What the command tells its caller, by number. */
export const EXIT = {
  ok: 0,
  /** The tool or the gateway answered with an error. */
  failed: 1,
  /** Bad usage, or a file that is not valid. */
  usage: 2,
  /** No gateway answered. */
  unreachable: 3,
  /** Ctrl-C: 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;

/** The exit code for a request that brought no answer. */
export function exitCodeOf(code: ClientErrorCode): number {
  switch (code) {
    case "UNAVAILABLE":
    case "DEADLINE_EXCEEDED":
      return EXIT.unreachable;
    case "CANCELLED":
      return EXIT.interrupted;
    case "INVALID_ARGUMENT":
      return EXIT.usage;
    default:
      return EXIT.failed;
  }
}

/** The command cannot be carried out as it was written; the message says why. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
