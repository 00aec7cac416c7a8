export { createMemoryRegistryStore, type MemoryRegistryOptions } from "./registry-store.ts";
