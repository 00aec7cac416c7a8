export {
  createProviderBackend,
  createProviderClients,
  type ProviderBackendOptions,
  type ProviderClients,
} from "./backend.ts";
export { createProviderProbe } from "./probe.ts";
