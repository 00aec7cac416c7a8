const MIB = 1024 * 1024;
/** Most tools share the first; a tool's own bound is checked when its answer is there. */
const STEPS = [4 * MIB, 16 * MIB, 64 * MIB];
/**
 * An odd number of bytes for the envelope around the largest answer. With it a
 * channel's limit is no limit that a server would have, so that its own
 * "larger than max" is told apart from a server's, which means the request.
 */
const ENVELOPE = 1009;

/**
 * The most bytes of one message that a channel for answers of `maxBytes`
 * takes. grpc-js bounds messages for a whole channel, so that there are a few
 * steps: each is a channel of its own.
 */
export function receiveLimitFor(maxBytes: number): number {
  return (STEPS.find((step) => maxBytes <= step) ?? maxBytes) + ENVELOPE;
}

/** Whether these details are grpc-js's refusal of an answer beyond the channel's limit. */
export function isReceiveLimit(details: string, limit: number): boolean {
  return details.includes("larger than") && new RegExp(`\\b${limit}\\b`).test(details);
}
