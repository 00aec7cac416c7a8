import type { ToolDefinition } from "@toolgate/core";
import type { AdmissionRule } from "@toolgate/registrar";

/** Whether tools that come over the network may point at a host. */
export type HostPolicy = (host: string) => boolean;

export function hostPolicy(allowedHosts: readonly string[]): HostPolicy {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (host) => allowed.has(host.toLowerCase());
}

/**
 * Where a tool that registers itself may point: a caller must not make the
 * gateway reach what the caller cannot reach itself.
 *
 * @param address "host:port" of the registering process; empty where it gave none
 */
export function networkRules(allowedHosts: readonly string[]): (address: string) => readonly AdmissionRule[] {
  const mayPointAt = hostPolicy(allowedHosts);
  return (address) => [
    (definition) => {
      const host = targetOf(definition, address);
      if (host === undefined || mayPointAt(host)) return undefined;
      const allowed = `Allowed: ${allowedHosts.join(", ")} (registration.allowed_hosts).`;
      return { reason: "ADDRESS_NOT_ALLOWED", message: `Registered tools may not point at ${host}. ${allowed}` };
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
