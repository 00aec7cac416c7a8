import { type ServiceError, status } from "@grpc/grpc-js";

/** Why a request to the gateway came to nothing. The message names the gateway, and holds no key. */
export class GatewayProblem extends Error {
  override readonly name = "GatewayProblem";
  /** The gateway answered no, and will again until something is changed. */
  readonly refused: boolean;

  constructor(message: string, refused: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.refused = refused;
  }
}

/** Answers that waiting alone does not change. */
const REFUSALS: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
  status.RESOURCE_EXHAUSTED,
]);

/** What grpc-js said, in words. */
export function gatewayProblem(error: ServiceError, gateway: string, timeoutMs: number): GatewayProblem {
  const { code, details } = error;
  if (REFUSALS.has(code)) return new GatewayProblem(`The gateway at ${gateway} refuses: ${details}`, true, error);
  const known = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|ECONNRESET/.exec(details)?.[0];
  if (code === status.UNAVAILABLE && known !== undefined) {
    return new GatewayProblem(`No gateway at ${gateway} (${known}).`, false, error);
  }
  if (code === status.UNAVAILABLE) return new GatewayProblem(`No answer from ${gateway}: ${details}`, false, error);
  if (code === status.DEADLINE_EXCEEDED) {
    return new GatewayProblem(`No answer from ${gateway} within ${timeoutMs / 1000} s.`, false, error);
  }
  return new GatewayProblem(`The gateway at ${gateway} failed: ${details}`, false, error);
}
