import type { MessageInitShape } from "@bufbuild/protobuf";
import { CacheControl, type CallRequestSchema } from "@toolgate/contract";
import { ToolgateClientError } from "./client-error.ts";
import { stringifyJson } from "./json.ts";
import type { RequestOptions } from "./requester.ts";

/** What to run: a tool by its name, or something else by its kind. */
export type CallTarget = string | { readonly capability: string } | { readonly pipeline: string };

export interface CallOptions extends RequestOptions {
  /** Groups the calls of one conversation, for the loop guard. */
  readonly sessionId?: string;
  /** Names the call in logs; made by the gateway where unset. */
  readonly callId?: string;
  /** The same key runs once and gives the first outcome again. */
  readonly idempotencyKey?: string;
  readonly cache?: "default" | "bypass" | "refresh";
  /** What the backend said, before mapping. */
  readonly raw?: boolean;
  /** Only these parts of the result, as dotted paths. */
  readonly fields?: readonly string[];
}

const CACHE: Readonly<Record<NonNullable<CallOptions["cache"]>, CacheControl>> = {
  default: CacheControl.UNSPECIFIED,
  bypass: CacheControl.BYPASS,
  refresh: CacheControl.REFRESH,
};

/** @throws ToolgateClientError INVALID_ARGUMENT where the arguments have no JSON form. */
export function callRequest(
  target: CallTarget,
  args: object | string,
  options: CallOptions,
): MessageInitShape<typeof CallRequestSchema> {
  const { sessionId, callId, idempotencyKey, cache = "default", raw, fields } = options;
  return {
    target: targetOf(target),
    input: { case: "argumentsJson", value: argumentsJson(args) },
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(callId === undefined ? {} : { callId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(raw === undefined ? {} : { raw }),
    ...(fields === undefined ? {} : { fields: [...fields] }),
    cache: CACHE[cache],
  };
}

type TargetField = NonNullable<MessageInitShape<typeof CallRequestSchema>["target"]>;

function targetOf(target: CallTarget): TargetField {
  if (typeof target === "string") return { case: "tool", value: target };
  if ("capability" in target) return { case: "capability", value: target.capability };
  return { case: "pipeline", value: target.pipeline };
}

function argumentsJson(args: object | string): string {
  if (typeof args === "string") {
    if (args.isWellFormed()) return args;
    const message = "The arguments hold half of a surrogate pair, which UTF-8 cannot carry.";
    throw new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false });
  }
  try {
    return stringifyJson(args);
  } catch (cause) {
    const message = `The arguments cannot be written as JSON: ${(cause as Error).message}.`;
    throw new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false, cause });
  }
}
