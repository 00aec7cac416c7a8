import { isLoopbackHost } from "../transport/http/browser-guard.ts";
import type { GatewayConfig } from "./config.ts";

/**
 * Why this configuration must not start, in words; `undefined` where it may.
 * Without keys everyone who reaches the gateway may call every tool, so only
 * this machine may reach it.
 */
export function refuseUnsafe({ listen, clients }: GatewayConfig): string | undefined {
  if (clients.length > 0) return undefined;
  const open = (["grpc", "http", "admin"] as const).filter((door) => !isLoopbackHost(listen[door].host));
  if (open.length === 0) return undefined;
  const places = open.map((door) => `listen.${door} is ${listen[door].host}:${listen[door].port}`).join(" and ");
  return (
    `${places}: other machines could reach it, and no API key is configured, so everyone could use it. ` +
    'Either listen on 127.0.0.1, or add a client with a key under "clients".'
  );
}
