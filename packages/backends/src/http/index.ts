export { createHttpBackend, type HttpBackendOptions } from "./backend.ts";
export type { AddressGuard } from "./connect.ts";
export { HTTP_METHODS, type HttpMethod, type HttpSettings, httpSettings, PLACES, type Place } from "./settings.ts";
export { httpToolKind } from "./tool-kind.ts";
