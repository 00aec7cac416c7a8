import type { AccessRules, ToolRule } from "@toolgate/core";
import type { ClientConfig } from "../identity/client-config.ts";
import type { ClientYaml } from "./clients-schema.ts";

type AccessYaml = Pick<ClientYaml, "allow" | "deny" | "list" | "hide_forbidden">;
type RuleYaml = NonNullable<ClientYaml["allow"]>[number];

export function clientOf({ id, admin, key_hashes, scopes, ...access }: ClientYaml): ClientConfig {
  const rules = rulesOf(access);
  return {
    id,
    admin: admin ?? false,
    keyHashes: key_hashes.map((hash) => hash.slice("sha256:".length)),
    ...(scopes === undefined ? {} : { scopes }),
    ...(rules === undefined ? {} : { rules }),
  };
}

/** Unset where nothing is said, so that a client without rules costs nothing. */
export function rulesOf({ allow, deny, list, hide_forbidden }: AccessYaml): AccessRules | undefined {
  if (allow === undefined && deny === undefined && list === undefined && hide_forbidden !== true) return undefined;
  return {
    ...(allow === undefined ? {} : { allow: allow.map(ruleOf) }),
    ...(deny === undefined ? {} : { deny: deny.map(ruleOf) }),
    ...(list === undefined ? {} : { list: list.map(ruleOf) }),
    hideForbidden: hide_forbidden ?? false,
  };
}

function ruleOf({ toolset, tool, read_only, idempotent, destructive, open_world }: RuleYaml): ToolRule {
  return {
    ...(toolset === undefined ? {} : { toolset }),
    ...(tool === undefined ? {} : { tool }),
    ...(read_only === undefined ? {} : { readOnly: read_only }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(open_world === undefined ? {} : { openWorld: open_world }),
  };
}
