import type { ErrorClass } from "@toolgate/core";

/**
 * What ends a request before there is a call: then there is no envelope. Each
 * door words it in its own protocol.
 */
export type DoorErrorCode =
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "MESSAGE_TOO_LARGE"
  | "UNIMPLEMENTED"
  | "UNAVAILABLE"
  | "INTERNAL";

interface DoorErrorFacts {
  readonly class: ErrorClass;
  readonly http: number;
  readonly grpc: number;
  readonly meaning: string;
}

/** HTTP status and gRPC status code (google.golang.org/grpc/codes) of each. `docs/errors.md` is checked against it. */
export const DOOR_ERRORS = {
  UNAUTHENTICATED: {
    class: "permission",
    http: 401,
    grpc: 16,
    meaning: "No API key, or one that this gateway does not know.",
  },
  PERMISSION_DENIED: {
    class: "permission",
    http: 403,
    grpc: 7,
    meaning: "This key may not use the operators' service, or the request comes from a foreign web page.",
  },
  INVALID_ARGUMENT: { class: "argument", http: 400, grpc: 3, meaning: "The request itself cannot be read." },
  NOT_FOUND: { class: "argument", http: 404, grpc: 5, meaning: "There is nothing at this path." },
  MESSAGE_TOO_LARGE: {
    class: "argument",
    http: 413,
    grpc: 8,
    meaning: "The request is larger than `max_message_bytes`.",
  },
  UNIMPLEMENTED: { class: "argument", http: 501, grpc: 12, meaning: "This gateway does not offer this method." },
  UNAVAILABLE: {
    class: "network",
    http: 503,
    grpc: 14,
    meaning: "The gateway is stopping or not ready. Try again elsewhere or later.",
  },
  INTERNAL: { class: "tool", http: 500, grpc: 13, meaning: "The gateway failed outside a call. Its log says why." },
} as const satisfies Record<DoorErrorCode, DoorErrorFacts>;

export class DoorError extends Error {
  override readonly name = "DoorError";
  readonly code: DoorErrorCode;

  /** @param message public: it goes to the caller as it is. */
  constructor(code: DoorErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  /** The one way in for what was thrown outside a call. */
  static from(thrown: unknown): DoorError {
    if (thrown instanceof DoorError) return thrown;
    return new DoorError("INTERNAL", "The gateway failed; its log says why.", thrown);
  }
}
