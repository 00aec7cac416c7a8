export type { AddressGuard } from "../address-guard.ts";
export { createHttpBackend, type HttpBackendOptions } from "./backend.ts";
export { httpToolKind } from "./tool-kind.ts";
