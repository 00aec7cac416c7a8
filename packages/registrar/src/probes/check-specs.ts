import type { CheckSpec } from "@toolgate/core";

/** A check as its author writes it, read; or what is wrong with it. */
export type ReadCheck =
  | { readonly ok: true; readonly check: CheckSpec }
  | { readonly ok: false; readonly message: string };

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_PORT = 65_535;

/** `http: URL`: healthy when a GET is answered with 2xx. */
export function readHttpCheck(text: string): ReadCheck {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return refuse('Expected an http or https URL, such as "http://localhost:8080/health".');
  }
  if (url.username !== "" || url.password !== "") return refuse("The URL of a check must not hold a user or password.");
  return { ok: true, check: { kind: "http", settings: { url: text } } };
}

/** `tcp: HOST:PORT`: healthy when a connection opens. An IPv6 address stands in brackets. */
export function readTcpCheck(text: string): ReadCheck {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port < 1 || port > MAX_PORT) {
    return refuse('Expected "host:port", such as "localhost:6379" or "[::1]:6379".');
  }
  return { ok: true, check: { kind: "tcp", settings: { host: (match[1] ?? match[2]) as string, port } } };
}

/** `env: NAME`: healthy when the variable is set and not empty. */
export function readEnvCheck(text: string): ReadCheck {
  if (!ENV_NAME.test(text)) return refuse('Expected the name of an environment variable, such as "SEARCH_API_KEY".');
  return { ok: true, check: { kind: "env", settings: { name: text } } };
}

function refuse(message: string): ReadCheck {
  return { ok: false, message };
}
