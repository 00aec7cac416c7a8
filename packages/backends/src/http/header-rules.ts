/** A header name (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What may safely be in a header value: visible ASCII, spaces and tabs. */
const VALUE = /^[\t\x20-\x7e]*$/;
/** Fixed values come from the operator and may also hold Latin-1, as HTTP allows. */
const FIXED_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** They steer the connection (RFC 9110, 7.6.1) or are made from the body: nobody sets them. */
const OWN = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** They say who calls whom, and with what: not for a model to choose. */
const NOT_FOR_ARGUMENTS = new Set([
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "forwarded",
  "host",
  "traceparent",
  "tracestate",
]);

/** Why a header cannot be fixed in a definition; `undefined` when it can. Never repeats the value. */
export function problemOfFixedHeader(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return `"${name}" is not a header name`;
  if (OWN.has(name.toLowerCase())) return `"${name}" belongs to the connection and cannot be set`;
  if (!FIXED_VALUE.test(value))
    return `the value of "${name}" holds a line break or a character that a header cannot hold`;
  return undefined;
}

/** Why an argument cannot set a header; `undefined` when it can. */
export function problemOfArgumentHeader(name: string): string | undefined {
  if (!TOKEN.test(name)) return `"${name}" is not a header name`;
  const lower = name.toLowerCase();
  if (OWN.has(lower)) return `"${name}" belongs to the connection and cannot be set`;
  if (NOT_FOR_ARGUMENTS.has(lower) || lower.startsWith("proxy-") || lower.startsWith("x-forwarded-")) {
    return `"${name}" is not for callers to choose; set it under "headers" if the backend needs it`;
  }
  return undefined;
}

export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}
