import type { Tool } from "../tool/tool.ts";
import { type ErrorDetails, ToolgateError } from "./toolgate-error.ts";

/** Which tool was called, and where: `address` is "host:port", as it may be shown to people. */
export interface Destination {
  readonly tool: Tool;
  readonly address: string;
}

/** The error for a call that was provably not delivered. `words` say why. */
export function unreachable({ tool, address }: Destination, words: string, details: ErrorDetails = {}): ToolgateError {
  return new ToolgateError(
    "BACKEND_UNREACHABLE",
    `The backend of "${tool.name}" (${address}) cannot be reached: ${words}. The call was not delivered.`,
    details,
  );
}

/** The error for an answer of more bytes than the tool's `response.max_bytes`. */
export function answerTooLarge({ tool, address }: Destination): ToolgateError {
  return new ToolgateError(
    "RESULT_TOO_LARGE",
    `The answer of "${tool.name}" (${address}) is larger than the ${tool.response.maxBytes} bytes that are allowed. ` +
      "Ask for less, or raise the tool's response.max_bytes.",
  );
}

/** The error for a caller that does not wait any longer, by whether the call may have reached the tool. */
export function callerGone(tool: Tool, delivered: boolean): ToolgateError {
  const fate = delivered ? "The call had been delivered; the tool may have run." : "The backend was not reached.";
  return new ToolgateError("CANCELLED", `The caller went away before "${tool.name}" had answered. ${fate}`);
}

/** Whether a signal aborted because the attempt took too long, and not because the caller went away. */
export function isTimeout(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";
}
