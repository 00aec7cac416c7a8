import type { ToolDefinition } from "@toolgate/core";
import type { AdmissionRule } from "@toolgate/registrar";

/**
 * Where a tool that registers itself may point: a caller must not make the
 * gateway reach what the caller cannot reach itself.
 *
 * @param address "host:port" of the registering process; empty where it gave none
 */
export function networkRules(allowedHosts: readonly string[]): (address: string) => readonly AdmissionRule[] {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (address) => [
    (definition) => {
      const host = targetOf(definition, address);
      if (host === undefined || allowed.has(host.toLowerCase())) return undefined;
      const hint = `Allowed: ${allowedHosts.join(", ")} (registration.allowed_hosts).`;
      return { reason: "ADDRESS_NOT_ALLOWED", message: `Registered tools may not point at ${host}. ${hint}` };
    },
    ({ backend }) => {
      if (backend?.kind !== "provider" || hostOf(address) !== undefined) return undefined;
      const message =
        'A tool that this process serves needs the address of the process: "host:port" in the registration.';
      return { reason: "ADDRESS_NOT_ALLOWED", message };
    },
  ];
}

function targetOf({ backend }: ToolDefinition, address: string): string | undefined {
  if (backend?.kind === "provider") return hostOf(address);
  const { endpoint, target } = backend?.settings ?? {};
  if (typeof endpoint === "string") return bare(URL.parse(endpoint)?.hostname);
  return typeof target === "string" ? hostOf(target) : undefined;
}

function hostOf(address: string): string | undefined {
  return /^[^/?#@]+:\d{1,5}$/.test(address) ? bare(URL.parse(`http://${address}`)?.hostname) : undefined;
}

function bare(host: string | undefined): string | undefined {
  return host?.replace(/^\[|\]$/g, "");
}
