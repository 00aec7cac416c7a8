import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../json/json.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";
/** Largest text of redacted arguments, in UTF-16 code units. */
export const MAX_REDACTED = 4_096;

const MAX_TEXT = 256;
const MAX_ITEMS = 50;
const MAX_DEPTH = 8;

/** Names of keys whose values are secrets, after "-", "_", "." and spaces are taken out. */
const SECRET_KEY =
  /passw(?:or)?d|passphrase|passcode|pwd$|secret|token$|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|authorization|^auth$|cookie|bearer|^jwt$|sessionid|^pin$|^otp$|^cvv$|^cvc$|cardnumber|^ssn$/i;
/** Values that are secrets under any key: schemes of RFC 7235, JSON Web Tokens (RFC 7519), PEM blocks, usual prefixes of keys, passwords in URLs. */
const SECRET_VALUE =
  /^(?:bearer|basic) +\S|\beyJ[\w-]+\.[\w-]+\.|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:sk|pk|rk|tgw|ghp|gho|ghs|xox[abprs]|glpat)[-_][\w-]{8}|\bgithub_pat_|\bAKIA[0-9A-Z]{16}|:\/\/[^\s/:@]*:[^\s/@]+@/i;

/**
 * Arguments as they may be written down: what looks like a secret is replaced,
 * by its key or by its value; long texts, long lists and deep parts are cut;
 * the whole has at most {@link MAX_REDACTED} characters of JSON.
 */
export function redact(args: JsonObject): JsonObject {
  const redacted = redactObject(args, MAX_DEPTH);
  const size = stringifyJson(redacted).length;
  if (size <= MAX_REDACTED) return redacted;
  return { "[too large]": `${size} characters after redaction; at most ${MAX_REDACTED} are kept` };
}

function redactObject(value: JsonObject, depth: number): JsonObject {
  const keys = Object.keys(value);
  const kept = keys
    .slice(0, MAX_ITEMS)
    .map((key): [string, JsonValue] => [cutText(key), isSecretKey(key) ? REDACTED : redactValue(value[key], depth)]);
  if (keys.length > MAX_ITEMS) kept.push(["[cut]", `${keys.length - MAX_ITEMS} more keys`]);
  return Object.fromEntries(kept);
}

function redactValue(value: JsonValue | undefined, depth: number): JsonValue {
  if (typeof value === "string") return SECRET_VALUE.test(value) ? REDACTED : cutText(value);
  if (typeof value === "bigint") return cutText(value.toString());
  if (value === null || value === undefined || typeof value !== "object") return value ?? null;
  if (depth === 0) return "[cut]";
  if (isJsonObject(value)) return redactObject(value, depth - 1);
  const items = value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth - 1));
  return value.length > MAX_ITEMS ? [...items, `[${value.length - MAX_ITEMS} more]`] : items;
}

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.replace(/[-_.\s]/g, ""));
}

function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}… (${text.length} characters)`;
}
