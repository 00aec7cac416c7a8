import { type AccessRules, type Caller, compileAccess } from "@toolgate/core";

/** A client of the configuration: who it is, what it may use, and digests of its keys. */
export interface ClientConfig {
  readonly id: string;
  /** SHA-256 of each key, in lower-case hex. Keys are random, so no slow hash is needed. */
  readonly keyHashes: readonly string[];
  readonly scopes?: readonly string[];
  readonly rules?: AccessRules;
  readonly admin: boolean;
}

export function callerOf({ id, scopes, rules, admin }: ClientConfig): Caller {
  return {
    id,
    admin,
    ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
    ...(rules === undefined ? {} : { access: compileAccess(rules) }),
  };
}
