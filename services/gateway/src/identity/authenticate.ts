import { createHash } from "node:crypto";
import { ANONYMOUS, type Caller } from "@toolgate/core";
import { type ClientConfig, callerOf } from "./client-config.ts";

/** Who a request comes from; `undefined` where it shows no key that is known. */
export type Authenticate = (authorization: string | undefined) => Caller | undefined;

/** Without clients everyone is {@link ANONYMOUS}; with them, a key is needed. */
export function authenticator(clients: readonly ClientConfig[]): Authenticate {
  if (clients.length === 0) return () => ANONYMOUS;
  const callers = new Map<string, Caller>();
  for (const client of clients) for (const hash of client.keyHashes) callers.set(hash, callerOf(client));
  return (authorization) => {
    const key = bearerToken(authorization);
    // The digest of a guess says nothing about a real key, so looking it up needs no constant time.
    return key === undefined ? undefined : callers.get(sha256(key));
  };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
}
