import { setTimeout } from "node:timers/promises";
import { AdminService, ToolGatewayService } from "@toolgate/contract";
import type { Clock } from "@toolgate/core";
import type { GatewayConfig } from "../config/config.ts";
import type { Authenticate } from "../identity/authenticate.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { DoorLog, ListenAddress, OpenDoor } from "../transport/door.ts";
import { type GrpcDoor, openGrpcDoor } from "../transport/grpc/door.ts";
import { bindService, type Handlers } from "../transport/grpc/service.ts";
import { openAdminDoor } from "../transport/http/admin-door.ts";
import { type HttpHandlers, openHttpDoor } from "../transport/http/door.ts";

export interface DoorsPorts {
  readonly config: GatewayConfig;
  readonly lifecycle: Lifecycle;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: DoorLog;
  readonly gateway: Handlers<typeof ToolGatewayService>;
  readonly admin: Handlers<typeof AdminService>;
  readonly http: Omit<HttpHandlers, "rpcs">;
}

export interface Doors {
  readonly grpc: ListenAddress;
  readonly http: ListenAddress;
  readonly admin: ListenAddress;
  /** Resolves when the health and reflection services are there, too. */
  readonly complete: Promise<void>;
}

/** Opens all doors. The admin port first and closed last: it tells how the others are. */
export async function openDoors(ports: DoorsPorts): Promise<Doors> {
  const { config, lifecycle, authenticate, clock, metrics, log } = ports;
  const door = { authenticate, clock, draining: lifecycle.draining, maxMessageBytes: config.maxMessageBytes, log };
  const admin = await openAdminDoor(config.listen.admin, {
    metrics: () => metrics.expose(),
    state: () => lifecycle.state,
  });
  lifecycle.onStop("admin door", 300, () => closeDoor(admin, 200));
  const grpcPorts = { ...door, rpcs: metrics.rpcs };
  const services = [
    bindService(ToolGatewayService, ports.gateway, grpcPorts),
    bindService(AdminService, ports.admin, grpcPorts),
  ];
  const rpcs = {
    services: [ToolGatewayService, AdminService],
    load: async () => {
      const { connectHandlers, servedService } = await import("../transport/http/connect.ts");
      const served = [servedService(ToolGatewayService, ports.gateway), servedService(AdminService, ports.admin)];
      return connectHandlers(served, door);
    },
  };
  const httpPorts = { ...door, allowedOrigins: config.allowedOrigins };
  const http = await openHttpDoor(config.listen.http, { ...ports.http, rpcs }, httpPorts);
  const grpc = await openOrUndo(() => openGrpcDoor(config.listen.grpc, services, config.maxMessageBytes), http);
  // Both at once: each waits for its own calls in flight.
  lifecycle.onStop("doors", config.drainMs + 500, async () => {
    await Promise.all([closeDoor(http, config.drainMs), closeDoor(grpc, config.drainMs)]);
  });
  const complete = addStandardServices(grpc, lifecycle);
  return { grpc: grpc.address, http: http.address, admin: admin.address, complete };
}

async function openOrUndo<T>(open: () => Promise<T>, before: OpenDoor): Promise<T> {
  try {
    return await open();
  } catch (error) {
    before.destroy();
    await before.drain();
    throw error;
  }
}

/** Loading them takes some 100 ms of this thread: who waits for the gateway to be ready is answered first. */
const STANDARD_SERVICES_AFTER_MS = 100;

/** Adds the health and reflection services. */
async function addStandardServices(grpc: GrpcDoor, lifecycle: Lifecycle): Promise<void> {
  await setTimeout(STANDARD_SERVICES_AFTER_MS);
  const { addHealth, addReflection } = await import("../transport/grpc/reflection.ts");
  addReflection(grpc, [ToolGatewayService.file, AdminService.file]);
  const health = addHealth(grpc, [ToolGatewayService.typeName, AdminService.typeName]);
  health.set(true);
  lifecycle.draining.addEventListener("abort", () => health.set(false), { once: true });
}

/** Waits for what is inside to leave, and ends it when that takes too long. */
async function closeDoor(door: OpenDoor, graceMs: number): Promise<void> {
  const timer = globalThis.setTimeout(() => door.destroy(), graceMs);
  try {
    await door.drain();
  } finally {
    clearTimeout(timer);
  }
}
