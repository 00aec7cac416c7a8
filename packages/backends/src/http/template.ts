import { encodeText } from "./encode.ts";

/** An endpoint, taken apart once. */
export interface Template {
  /** Scheme, host and port. */
  readonly origin: string;
  /** "host" or "host:port", as it may be shown to people. */
  readonly host: string;
  /** The encoded path around its placeholders: one more than there are placeholders. */
  readonly literals: readonly string[];
  /** The names of the placeholders in the path, in order. */
  readonly slots: readonly string[];
  /** The encoded query that is always sent, without "?". */
  readonly query: string;
  /** The encoded keys of that query. */
  readonly queryKeys: readonly string[];
  /** Placeholders in the query: `key={name}`. */
  readonly queryPlaceholders: readonly { readonly name: string; readonly encodedKey: string }[];
}

const URL_PARTS = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is;
const PLACEHOLDER = /\{([^{}/?#&=]+)\}/g;
const WHOLE_VALUE = /^([^=]*)=\{([^{}/?#&=]+)\}$/;
const BRACE = /[{}]/;

/** A segment that a URL parser or a server would take for a step up or none. */
export const DOT_SEGMENT = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

/** Joins an endpoint and a path by exactly one slash. */
export function joinPath(endpoint: string, path: string | undefined): string {
  if (path === undefined) return endpoint;
  return `${endpoint.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}

/** Takes an endpoint apart; a string says what is wrong with it. Never repeats the URL: it may hold a secret. */
export function parseTemplate(endpoint: string, path?: string): Template | string {
  if (path !== undefined && /[?#]/.test(endpoint)) {
    return "an endpoint with a path of its own must end before the query";
  }
  const parts = URL_PARTS.exec(joinPath(endpoint, path));
  if (parts === null) return 'expected an absolute URL that begins with "http://" or "https://"';
  const [, scheme = "", authority = "", pathText = "", queryText = "", fragment] = parts;
  if (fragment !== undefined) return "a URL with a fragment (#…) cannot be called; leave the fragment out";
  const site = readAuthority(scheme, authority);
  if (typeof site === "string") return site;
  const route = readPath(pathText === "" ? "/" : pathText);
  if (typeof route === "string") return route;
  const query = readQuery(queryText);
  return typeof query === "string" ? query : { ...site, ...route, ...query };
}

function readAuthority(scheme: string, authority: string): Pick<Template, "origin" | "host"> | string {
  if (authority.includes("@")) return "credentials in the URL are not allowed; send them in a header";
  if (authority.includes("\\")) return "a backslash cannot be in the host";
  if (BRACE.test(authority)) return "a placeholder cannot be in the host: tools reach only hosts that they name";
  try {
    const { origin, host, hostname } = new URL(`${scheme}://${authority}/`);
    return hostname === "" ? "the URL names no host" : { origin, host };
  } catch {
    return "the host or the port of the URL is not valid";
  }
}

function readPath(text: string): Pick<Template, "literals" | "slots"> | string {
  if (BRACE.test(text.replace(PLACEHOLDER, ""))) return "the path has a brace that is not part of a {name}";
  const slots: string[] = [];
  const literals: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    literals.push(encodeLiteral(text.slice(end, match.index)));
    slots.push(match[1] as string);
    end = match.index + match[0].length;
  }
  literals.push(encodeLiteral(text.slice(end)));
  if (DOT_SEGMENT.test(literals.join("x"))) return 'the path has a "." or ".." segment; write the path they lead to';
  return { slots, literals };
}

function readQuery(text: string): Pick<Template, "query" | "queryKeys" | "queryPlaceholders"> | string {
  const fixed: string[] = [];
  const queryPlaceholders: { name: string; encodedKey: string }[] = [];
  for (const pair of text.split("&").filter((part) => part !== "")) {
    const placeholder = WHOLE_VALUE.exec(pair);
    if (placeholder !== null) {
      const [, key = "", name = ""] = placeholder;
      queryPlaceholders.push({ name, encodedKey: encodeLiteral(key) });
    } else if (BRACE.test(pair)) {
      return "a placeholder in the query must be a whole value: key={name}";
    } else {
      fixed.push(encodeLiteral(pair));
    }
  }
  return { query: fixed.join("&"), queryKeys: fixed.map((pair) => pair.replace(/=.*$/s, "")), queryPlaceholders };
}

/** Encodes what cannot be in a URL and leaves percent-encodings as they are. */
function encodeLiteral(text: string): string {
  return text.replace(/[^\u0021-\u007e]|["<>\\^`{|}]/gu, encodeText);
}
