import {
  type BuiltinToolset,
  builtinToolKind,
  createBuiltinBackend,
  createDocsTools,
  createFileTools,
  handlersOf,
} from "@toolgate/backends/builtin";
import { createGrpcBackend, grpcToolKind } from "@toolgate/backends/grpc";
import { createHttpBackend, httpToolKind } from "@toolgate/backends/http";
import {
  createProviderBackend,
  createProviderClients,
  createProviderProbe,
  type ProviderClients,
} from "@toolgate/backends/provider";
import type { Backend, Probe, RegistryStore } from "@toolgate/core";
import type { OfferedToolset } from "@toolgate/registrar";
import { standardProbes } from "@toolgate/registrar/probes";
import type { ToolKind } from "@toolgate/registrar/tool-files";
import type { GatewayConfig } from "../config/config.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";

/** How tool files describe the tools of each backend. */
export function toolKinds(): readonly ToolKind[] {
  return [httpToolKind, builtinToolKind, grpcToolKind];
}

/** The toolsets inside this process, as configured. */
export function builtinToolsets({ builtin }: Pick<GatewayConfig, "builtin">): readonly BuiltinToolset[] {
  const { filesRoot, docsRoot } = builtin;
  return [
    ...(filesRoot === undefined ? [] : [createFileTools({ root: filesRoot })]),
    // Without a folder too: tool files may name its handler, and a call to it then says what is missing.
    createDocsTools(docsRoot === undefined ? {} : { root: docsRoot }),
  ];
}

export interface BackendPorts {
  /** Where tools that registered themselves may lead. */
  readonly hosts: Pick<AllowedHosts, "allowsAddress">;
  readonly providers: ProviderClients;
}

/** For who only inspects definitions: what came over the network is connected to nothing. */
function nowhere(): BackendPorts {
  const allowsAddress = () => false;
  return { hosts: { allowsAddress }, providers: createProviderClients({ allowAddress: allowsAddress }) };
}

/** One backend for each kind. A new kind is one more line here. */
export function createBackends(
  toolsets: readonly BuiltinToolset[],
  { hosts: { allowsAddress: allowAddress }, providers }: BackendPorts = nowhere(),
): ReadonlyMap<string, Backend> {
  const backends = [
    createHttpBackend({ allowAddress }),
    createBuiltinBackend(handlersOf(toolsets)),
    createGrpcBackend({ allowAddress }),
    createProviderBackend({ clients: providers }),
  ];
  return new Map(backends.map((backend) => [backend.kind, backend]));
}

/** One probe for each kind of check. */
export function createProbes(registry: RegistryStore, providers: ProviderClients): ReadonlyMap<string, Probe> {
  const ofProviders = createProviderProbe(providers, () => registry.snapshot());
  return new Map([...standardProbes(process.env), [ofProviders.kind, ofProviders]]);
}

export function offerBuiltin(toolsets: readonly BuiltinToolset[]): readonly OfferedToolset[] {
  const offered = toolsets.filter(({ tools }) => tools.length > 0);
  return offered.map(({ toolset, tools }) => ({
    name: toolset,
    tools: tools.map(({ definition }) => ({ definition, source: "built in" })),
  }));
}
