import type { ToolDefinition } from "@toolgate/core";
import type { AdmissionRule } from "@toolgate/registrar";

/** Where a tool that registers itself may point: a caller must not make the gateway reach what it cannot reach itself. */
export function allowedHostsRule(allowedHosts: readonly string[]): AdmissionRule {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (definition) => {
    const host = hostOf(definition);
    if (host === undefined || allowed.has(host)) return undefined;
    return {
      reason: "ADDRESS_NOT_ALLOWED",
      message: `Registered tools may not point at ${host}. Allowed: ${allowedHosts.join(", ")} (registration.allowed_hosts).`,
    };
  };
}

function hostOf({ backend }: ToolDefinition): string | undefined {
  const endpoint = backend?.settings["endpoint"];
  if (typeof endpoint !== "string") return undefined;
  return URL.parse(endpoint)
    ?.hostname.replace(/^\[|\]$/g, "")
    .toLowerCase();
}
