import { create } from "@bufbuild/protobuf";
import { CacheControl, type CallRequest, CallRequestSchema } from "@toolgate/contract";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonTypeOf,
  nearNames,
  parseJson,
  stringifyJson,
} from "@toolgate/core";
import { DoorError } from "../door-error.ts";

const CACHE: Readonly<Record<string, CacheControl>> = {
  default: CacheControl.UNSPECIFIED,
  bypass: CacheControl.BYPASS,
  refresh: CacheControl.REFRESH,
};
const TARGETS = ["tool", "capability", "pipeline"] as const;
const KEYS = [...TARGETS, "params", "session_id", "call_id", "idempotency_key", "cache", "raw", "fields"];

/**
 * Reads the body of `POST /v1/call`:
 * `{"tool", "params", "session_id", "call_id", "idempotency_key", "cache", "raw", "fields"}`.
 *
 * @throws DoorError naming the key that is wrong, what was expected and what was there.
 */
export function readCallBody(text: string): CallRequest {
  const body = parseBody(text);
  rejectUnknownKeys(body);
  const request = create(CallRequestSchema, {
    sessionId: textAt(body, "session_id"),
    callId: textAt(body, "call_id"),
    idempotencyKey: textAt(body, "idempotency_key"),
    cache: cacheAt(body),
    raw: rawAt(body),
    fields: fieldsAt(body),
    input: { case: "argumentsJson", value: paramsAt(body) },
  });
  const named = TARGETS.filter((key) => body[key] !== undefined && body[key] !== null);
  if (named.length > 1) throw wrong(`Name one of ${named.map((key) => `"${key}"`).join(" and ")}, not both.`);
  const [target] = named;
  if (target !== undefined) request.target = { case: target, value: textAt(body, target) };
  return request;
}

function parseBody(text: string): JsonObject {
  let body: JsonValue;
  try {
    body = parseJson(text);
  } catch (error) {
    throw wrong(`The body is not valid JSON.${whereItBreaks(error as Error)} Send {"tool": "NAME", "params": {…}}.`);
  }
  if (isJsonObject(body)) return body;
  throw wrong(
    `The body must be a JSON object such as {"tool": "NAME", "params": {…}}, not of type ${jsonTypeOf(body)}.`,
  );
}

/** A sentence, where the parser says: a place in the text, or one of its own bounds ("The JSON is nested…"). */
function whereItBreaks({ message }: Error): string {
  const place = / JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  if (place !== undefined) return ` It breaks at character ${Number(place) + 1}.`;
  return message.startsWith("The ") ? ` ${message.slice(0, 200)}.` : "";
}

function rejectUnknownKeys(body: JsonObject): void {
  const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
  if (unknown === undefined) return;
  const meant = /^(arguments|args|parameters|input)$/.test(unknown) ? "params" : nearNames(unknown, KEYS, 1)[0];
  const hint = meant === undefined ? `Known keys: ${KEYS.join(", ")}.` : `Did you mean "${meant}"?`;
  throw wrong(`Unknown key ${JSON.stringify(unknown.slice(0, 64))} in the body. ${hint}`);
}

function textAt(body: JsonObject, key: string): string {
  const value = body[key];
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw mismatch(key, "a string", value);
}

function rawAt({ raw }: JsonObject): boolean {
  if (raw === undefined || raw === null) return false;
  if (typeof raw === "boolean") return raw;
  throw mismatch("raw", "true or false", raw);
}

function cacheAt({ cache }: JsonObject): CacheControl {
  if (cache === undefined || cache === null) return CacheControl.UNSPECIFIED;
  const control = typeof cache === "string" && Object.hasOwn(CACHE, cache) ? CACHE[cache] : undefined;
  if (control !== undefined) return control;
  throw mismatch("cache", '"default", "bypass" or "refresh"', cache);
}

function fieldsAt({ fields }: JsonObject): string[] {
  if (fields === undefined || fields === null) return [];
  if (Array.isArray(fields) && fields.every((field) => typeof field === "string")) return fields;
  throw mismatch("fields", "an array of strings", fields);
}

/** The arguments as text: they go the same way as those of every other door. Some callers have them as text already. */
function paramsAt({ params }: JsonObject): string {
  if (params === undefined || params === null) return "{}";
  if (typeof params === "string") return params;
  if (isJsonObject(params)) return stringifyJson(params);
  throw mismatch("params", "an object, or the JSON text of one", params);
}

function mismatch(key: string, expected: string, got: JsonValue): DoorError {
  return wrong(`"${key}" must be ${expected}, not of type ${jsonTypeOf(got)}.`);
}

function wrong(message: string): DoorError {
  return new DoorError("INVALID_ARGUMENT", message);
}
