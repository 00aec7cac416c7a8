export * from "./api.ts";
export { type ClientOptions, createClient } from "./node-client.ts";
