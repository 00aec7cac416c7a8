import { pino } from "pino";
import { startGateway } from "./compose/gateway.ts";
import { DEFAULT_CONFIG, type GatewayConfig } from "./config/config.ts";

export interface ExampleGateway {
  /** "host:port" of the gRPC door. */
  readonly grpc: string;
  /** Base URL of the HTTP door, without a slash at its end. */
  readonly http: string;
  stop(): Promise<void>;
}

/** A whole gateway in this process, on free ports of loopback: for examples and try-outs. */
export async function startExampleGateway(config: Partial<GatewayConfig> = {}): Promise<ExampleGateway> {
  const free = { host: "127.0.0.1", port: 0 };
  const listen = { grpc: free, http: free, admin: free };
  const log = pino({ level: "warn", base: null }, pino.destination({ dest: 2, sync: true }));
  const gateway = await startGateway({ ...DEFAULT_CONFIG, listen, ...config }, log);
  await gateway.settled();
  const { grpc, http } = gateway.doors;
  return {
    grpc: `${grpc.host}:${grpc.port}`,
    http: `http://${http.host}:${http.port}`,
    stop: () => gateway.stop(),
  };
}
