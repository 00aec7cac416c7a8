import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { RegisterRequestSchema, RegisterResponseSchema, RegisterStatus } from "@toolgate/contract";
import type { Bench } from "../bench.ts";
import { RawClient } from "../load/raw-client.ts";
import type { BenchOptions } from "../options.ts";
import { cpuMs } from "../process/accounting.ts";
import { type Gateway, startGateway, writeConfig } from "../servers/gateway.ts";
import { BATCH, registerRequests } from "./definitions.ts";
import { type Listing, listTools } from "./listing.ts";
import { type Memory, readMemory } from "./memory.ts";

export interface Registering {
  readonly tools: number;
  readonly seconds: number;
  /** Of the gateway, in milliseconds. */
  readonly cpuMs: number;
}

export interface Catalogue {
  readonly registering: Registering;
  readonly listings: readonly Listing[];
  /** By number of tools, ascending, from 0 on. */
  readonly memory: readonly Memory[];
}

const REGISTER = "/toolgate.v1.ToolGatewayService/Register";

/** One gateway, to which tools are registered: first a page of them, which is listed, then the rest. */
export async function measureCatalogue(bench: Bench, options: BenchOptions): Promise<Catalogue> {
  const gateway = await startGateway(bench, { config: writeConfig(bench, "catalogue", {}), collectable: true });
  const client = new RawClient(gateway.grpc);
  try {
    const memory = [await readMemory(gateway, 0)];
    const page = Math.min(BATCH, options.tools);
    const first = await register({ client, gateway }, 0, page);
    memory.push(await readMemory(gateway, page));
    const listings = await listTools({ client, gateway }, options.lists);
    const rest = await register({ client, gateway }, page, options.tools);
    if (options.tools > page) memory.push(await readMemory(gateway, options.tools));
    const registering = {
      tools: options.tools,
      seconds: first.seconds + rest.seconds,
      cpuMs: first.cpuMs + rest.cpuMs,
    };
    return { registering, listings, memory };
  } finally {
    client.close();
    await bench.children.end(gateway.child.process);
  }
}

/** What is asked, and whose CPU counts. */
export interface Asked {
  readonly client: RawClient;
  readonly gateway: Gateway;
}

async function register({ client, gateway }: Asked, from: number, to: number): Promise<Omit<Registering, "tools">> {
  const requests = registerRequests(from, to).map((request) => toBinary(RegisterRequestSchema, request));
  const cpuBefore = cpuMs(gateway.pid);
  const start = performance.now();
  const answers = [];
  for (const request of requests) answers.push(await client.call(REGISTER, request));
  const seconds = (performance.now() - start) / 1000;
  const cpu = cpuMs(gateway.pid) - cpuBefore;
  const outcomes = answers.flatMap((answer) => fromBinary(RegisterResponseSchema, answer).outcomes);
  const refused = outcomes.find(({ status }) => status !== RegisterStatus.REGISTERED);
  if (refused !== undefined) throw new Error(`The gateway did not register ${refused.tool}: ${refused.message}`);
  return { seconds, cpuMs: cpu };
}
