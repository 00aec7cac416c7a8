import { hash } from "node:crypto";
import {
  type AuditEntry,
  type CallInput,
  canonicalJson,
  isJsonObject,
  type JsonValue,
  parseJson,
  redact,
} from "@toolgate/core";

/** What is written down of arguments: a digest, the arguments without their secrets beside it, or nothing. */
export type AuditArguments = "digest" | "redacted" | "none";

/**
 * Arguments as the audit log has them: as the caller sent them, so that who
 * has a call can find its entry. Equal arguments have equal digests, through
 * every door and in either encoding, whatever the order of their keys; text
 * that is not JSON is digested as it is.
 */
export function auditArguments(
  input: CallInput,
  policy: AuditArguments,
): Partial<Pick<AuditEntry, "argumentsSha256" | "arguments">> {
  if (policy === "none") return {};
  const value = jsonOf(input);
  const text = value === undefined ? (input as { text: string }).text : canonicalJson(value);
  const digest = { argumentsSha256: hash("sha256", text, "hex") };
  return policy === "redacted" && isJsonObject(value) ? { ...digest, arguments: redact(value) } : digest;
}

/** `undefined` for text that is not JSON. */
function jsonOf(input: CallInput): JsonValue | undefined {
  if (input.encoding === "value") return input.value;
  try {
    return parseJson(input.text);
  } catch {
    return undefined;
  }
}
