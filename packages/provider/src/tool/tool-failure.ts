export interface ToolFailureOptions {
  /** Whether the same call may succeed later. False where unsaid. */
  readonly retryable?: boolean;
  /** For the provider's own log; never sent. */
  readonly cause?: unknown;
}

/** What the gateway passes on of a message (provider_service.proto). */
export const MAX_MESSAGE_LENGTH = 4_096;

/**
 * A handler throws it to fail with its own words: `code`, `message` and
 * `retryable` reach the caller as they are. Whatever else a handler throws
 * reaches only the provider's log.
 */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly code: string;
  readonly retryable: boolean;

  /** @param message public; at most 4,096 characters are passed on. */
  constructor(code: string, message: string, { retryable = false, cause }: ToolFailureOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
  }
}
