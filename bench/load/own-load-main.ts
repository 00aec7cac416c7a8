/** Load from Node, where there is no h2load. Dearer for each call than what it measures: it bounds the calls a second. */
import type { LoadJob, LoadResult, LoadTarget } from "./load.ts";
import { RawClient } from "./raw-client.ts";

type Job<Kind> = LoadJob & { readonly target: Extract<LoadTarget, { kind: Kind }> };

async function sendGrpc({ target, calls, connections, perConnection }: Job<"grpc">): Promise<LoadResult> {
  const clients = Array.from({ length: connections }, () => new RawClient(target.address));
  const latencies: number[] = [];
  let left = calls;
  let failed = 0;
  const sendInTurn = async (client: RawClient) => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      await client.call(target.path, target.message).then(
        () => latencies.push(performance.now() - start),
        () => {
          failed += 1;
        },
      );
    }
  };
  const start = performance.now();
  const lanes = clients.flatMap((client) => Array.from({ length: perConnection }, () => sendInTurn(client)));
  await Promise.all(lanes);
  const seconds = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  return { seconds, latenciesMs: latencies.sort((a, b) => a - b), failed };
}

async function sendHttp({ target, calls, connections }: Job<"http">): Promise<LoadResult> {
  // Slow to load, and gRPC does without.
  const { default: autocannon } = await import("autocannon");
  const latencies: number[] = [];
  const start = performance.now();
  const run = autocannon({
    url: target.url,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: target.body,
    amount: calls,
    connections: Math.min(connections, calls),
  });
  run.on("response", (_client, status, _bytes, ms) => {
    if (status === 200) latencies.push(ms);
  });
  await run;
  const seconds = (performance.now() - start) / 1000;
  return { seconds, latenciesMs: latencies.sort((a, b) => a - b), failed: calls - latencies.length };
}

process.on("disconnect", () => process.exit(0));
process.once("message", async (job: LoadJob) => {
  const result = await (job.target.kind === "grpc" ? sendGrpc(job as Job<"grpc">) : sendHttp(job as Job<"http">));
  process.send?.(result, undefined, undefined, () => process.exit(0));
});
process.send?.("ready");
