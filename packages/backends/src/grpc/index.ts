export { createGrpcBackend, type GrpcBackendOptions } from "./backend.ts";
export { inputSchemaOf } from "./input-schema.ts";
export { grpcToolKind } from "./tool-kind.ts";
