export { createHttpBackend, type HttpBackendOptions } from "./backend.ts";
export type { AddressGuard } from "./connect.ts";
export { httpToolKind } from "./tool-kind.ts";
