export { createMemoryLoopHistory, type MemoryLoopOptions } from "./loop-history.ts";
export { createMemoryRegistryStore, type MemoryRegistryOptions } from "./registry-store.ts";
