import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ToolDefinitionSchema } from "@toolgate/contract";
import type { $ZodType, input, output } from "zod/v4/core";
import type { JsonObject } from "../json/json.ts";
import type { ProviderLog } from "../log.ts";

/** A JSON Schema as an object; its dialect is named by `$schema`, 2020-12 where it is not. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A Zod schema, of Zod 4 or its mini form, or a JSON Schema. */
export type Schema = $ZodType | JsonSchema;

/** What the handler is given: what Zod makes of the arguments, or a JSON object. */
export type ArgumentsOf<S> = S extends $ZodType ? output<S> : JsonObject;

/** What the handler may return. */
export type ResultOf<S> = S extends $ZodType ? input<S> : unknown;

/** One run of a tool, as its handler sees it. */
export interface ToolContext {
  /** The same as in the caller's envelope. */
  readonly callId: string;
  /** The id of the caller's API key; undefined where the gateway has no keys. */
  readonly caller: string | undefined;
  /** The caller wants equal keys to have an effect once. */
  readonly idempotencyKey: string | undefined;
  /** W3C trace context, where the call carries it. */
  readonly trace: { readonly traceparent?: string; readonly tracestate?: string };
  /**
   * Aborts at the deadline, when the caller goes away, and when the provider
   * stops without time left. Hand it on: `fetch(url, { signal })`.
   */
  readonly signal: AbortSignal;
  /** Tells the reader something although the call succeeds. At most 32 texts of 1,024 characters are sent. */
  warn(text: string): void;
  /** The provider's log, with the tool and the call's id in each message. */
  readonly log: ProviderLog;
}

/** `true`, or why the tool cannot be used now; for people. Asked at most every 30 s, and given up after 2 s. */
export type Check = (context: { readonly signal: AbortSignal }) => boolean | string | Promise<boolean | string>;

/** What calling a tool does to the world. Unsaid means: writes, and a second call has a second effect. */
export interface Annotations {
  /** Changes nothing. Implies idempotent. */
  readonly readOnly?: boolean;
  /** A second, equal call has no further effect: it may be sent again when an answer is lost, and be cached. */
  readonly idempotent?: boolean;
  /** May delete or overwrite. */
  readonly destructive?: boolean;
  /** Reaches things outside the owner's control. */
  readonly openWorld?: boolean;
}

export interface ToolOptions<A extends Schema, R extends Schema> {
  /** 1 to 128 characters of [A-Za-z0-9_.-], unique in the gateway. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What the tool does, for the model. */
  readonly description: string;
  /** Abilities that the tool offers, such as "search"; callers can ask for one of them instead of a name. */
  readonly capabilities?: readonly string[];
  readonly tags?: readonly string[];
  /** Who keeps the tool, and how to reach them. */
  readonly owner?: string;
  readonly contact?: string;
  /** The arguments: an object at its top. The gateway checks them, and Zod once more, for its refinements. */
  readonly schema: A;
  /** The result. A Zod schema is applied here, a JSON Schema by the gateway. */
  readonly outputSchema?: R;
  readonly annotations?: Annotations;
  /** How long one run may take: more than 0, at most 3,600,000 (1 h). 30,000 where unset. */
  readonly timeoutMs?: number;
  /** Scopes that a caller needs, all of them. */
  readonly scopes?: readonly string[];
  readonly handler: (args: ArgumentsOf<A>, context: ToolContext) => ResultOf<R> | Promise<ResultOf<R>>;
  readonly check?: Check;
}

/** A tool that {@link defineTool} made: ready to be served. */
export interface Tool {
  readonly name: string;
  /** As it is registered. */
  readonly definition: MessageInitShape<typeof ToolDefinitionSchema>;
  /**
   * Checks the arguments, runs the handler, checks the result.
   *
   * @throws ToolFailure INVALID_ARGUMENT or RESULT_INVALID, and whatever the handler throws.
   */
  run(args: JsonObject, context: ToolContext): Promise<unknown>;
  readonly check: Check | undefined;
}
