export { file_grpc_health_v1_health } from "./gen/grpc/health/v1/health_pb.ts";
export * from "./gen/toolgate/v1/admin_service_pb.ts";
export * from "./gen/toolgate/v1/envelope_pb.ts";
export * from "./gen/toolgate/v1/gateway_service_pb.ts";
export * from "./gen/toolgate/v1/provider_service_pb.ts";
export * from "./gen/toolgate/v1/tool_pb.ts";
