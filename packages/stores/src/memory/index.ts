export { createMemoryAuditLog, type MemoryAuditOptions } from "./audit-log.ts";
export { createMemoryDelegatedCalls, type MemoryDelegatedOptions } from "./delegated-calls.ts";
export { createMemoryLimitStore, type MemoryLimitsOptions } from "./limit-store.ts";
export { createMemoryLoopHistory, type MemoryLoopOptions } from "./loop-history.ts";
export { createMemoryRegistryStore, type MemoryRegistryOptions } from "./registry-store.ts";
export { createMemoryResultCache, type MemoryResultCache, type MemoryResultCacheOptions } from "./result-cache.ts";
