import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ListToolsRequestSchema, ListToolsResponseSchema } from "@toolgate/contract";
import { median } from "../numbers.ts";
import { cpuMs } from "../process/accounting.ts";
import type { Asked } from "./catalogue.ts";

export interface Listing {
  readonly what: string;
  readonly tools: number;
  readonly bytes: number;
  /** From the request to the last byte, undecoded: the first after a change of the registry, and the median of the others. */
  readonly firstMs: number;
  readonly medianMs: number;
  /** Of the gateway, without the first. */
  readonly cpuMsPerCall: number;
}

const LIST = "/toolgate.v1.ToolGatewayService/ListTools";

/** Lists everything that is registered, a page of at most 1,000, again and again. */
export async function listTools({ client, gateway }: Asked, lists: number): Promise<readonly Listing[]> {
  const list = (request: Uint8Array) => client.call(LIST, request);
  const everything = toBinary(ListToolsRequestSchema, create(ListToolsRequestSchema));
  const fetched = await repeat(gateway.pid, lists, () => list(everything));
  const { tools, generation } = fromBinary(ListToolsResponseSchema, fetched.last);
  const known = toBinary(ListToolsRequestSchema, create(ListToolsRequestSchema, { ifGeneration: generation }));
  const unchanged = await repeat(gateway.pid, lists, () => list(known));
  const json = await repeat(gateway.pid, lists, async () => {
    return Buffer.from(await (await fetch(`${gateway.http}/v1/tools`)).arrayBuffer());
  });
  const row = (what: string, { last, ...figures }: Repeated): Listing => {
    return { what, tools: tools.length, bytes: last.length, ...figures };
  };
  return [row("gRPC ListTools", fetched), row("gRPC ListTools, not modified", unchanged), row("GET /v1/tools", json)];
}

interface Repeated extends Omit<Listing, "what" | "tools" | "bytes"> {
  readonly last: Buffer;
}

async function repeat(pid: number, times: number, ask: () => Promise<Buffer>): Promise<Repeated> {
  const timed = async () => {
    const start = performance.now();
    const answer = await ask();
    return { ms: performance.now() - start, answer };
  };
  const first = await timed();
  const cpuBefore = cpuMs(pid);
  const others = [];
  for (let count = 0; count < times; count += 1) others.push(await timed());
  return {
    last: others.at(-1)?.answer ?? first.answer,
    firstMs: first.ms,
    medianMs: median(others.map(({ ms }) => ms)),
    cpuMsPerCall: (cpuMs(pid) - cpuBefore) / times,
  };
}
