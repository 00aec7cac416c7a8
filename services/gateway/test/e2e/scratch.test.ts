import { execFileSync } from "node:child_process";
import { it } from "vitest";
import { grpcClient } from "./harness/grpc-client.ts";
import { offeredTool, register } from "./harness/provider.ts";
import { serving } from "./harness/serving.ts";
import { Watcher } from "./harness/watcher.ts";

it("x", async () => {
  const gateway = await serving({ env: { NODE_OPTIONS: process.env.GWOPT ?? "" } });
  const client = grpcClient(gateway.grpc);
  const changeTo = (v: number) =>
    register(client, { tools: [offeredTool("changing", "http://127.0.0.1:9/", { description: `${v} `.padEnd(16384, "x") })] });
  const often = async (from: number, to: number) => {
    for (let i = from; i < to; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => changeTo(i + j)));
  };
  const rss = () => Number(execFileSync("ps", ["-o", "rss=", "-p", String(gateway.child.pid)], { encoding: "utf8" }));
  let t = performance.now();
  const lap = (what: string) => { console.log(what, Math.round(performance.now() - t), rss()); t = performance.now(); };
  await often(0, 1000); lap("1000 none");
  const quick = new Watcher(client);
  await often(1000, 2000); lap("1000 quick");
  const slow = Array.from({ length: 20 }, () => new Watcher(grpcClient(gateway.grpc, { "toolgate.own": 1 })));
  for (const w of slow) w.stream.pause();
  await often(2000, 3000); lap("1000 slow");
  await often(3000, 4000); lap("1000 slow");
  void quick;
}, 120000);
