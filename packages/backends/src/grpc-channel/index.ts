export { problemOfAddress } from "./address.ts";
export { bufferOf } from "./buffer.ts";
export { type ChannelSettings, type ChannelTarget, GrpcChannel } from "./channel.ts";
export { ChannelPool } from "./channel-pool.ts";
export { type FailedEnd, failureOf, type Trip } from "./failures.ts";
export { isMetadataValue, NO_METADATA, withTrace } from "./metadata.ts";
export { receiveLimitFor } from "./receive-limit.ts";
export type { UnaryRequest } from "./unary-call.ts";
export type { CallStatus, StatusName, UnaryEnd } from "./verdict.ts";
