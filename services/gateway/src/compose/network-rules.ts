import type { ToolDefinition } from "@toolgate/core";
import type { AdmissionRule } from "@toolgate/registrar";
import type { AllowedHosts } from "./allowed-hosts.ts";

/** The rules for one registration. `address` is "host:port" of the registering process; empty where it gave none. */
export type NetworkRules = (address: string) => readonly AdmissionRule[];

/**
 * Where a tool that registers itself may point: a caller must not make the
 * gateway reach what the caller cannot reach itself. Names are taken as they
 * are written; where they lead is looked at when a connection is made.
 *
 * @param entries `registration.allowed_hosts`, for the refusal's words
 */
export function networkRules(hosts: AllowedHosts, entries: readonly string[]): NetworkRules {
  return (address) => [
    (definition) => {
      const host = targetOf(definition, address);
      if (host === undefined || hosts.allowsHost(host)) return undefined;
      const hint = `Allowed: ${entries.join(", ")} (registration.allowed_hosts).`;
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
