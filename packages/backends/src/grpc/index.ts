export { createGrpcBackend, type GrpcBackendOptions } from "./backend.ts";
export { inputSchemaOf } from "./input-schema.ts";
export { type GrpcSettings, grpcSettings } from "./settings.ts";
export { grpcToolKind } from "./tool-kind.ts";
