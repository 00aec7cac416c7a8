import { fork } from "node:child_process";
import { once } from "node:events";
import { it } from "vitest";
import { grpcClient } from "./harness/grpc-client.ts";
import { offeredTool, register } from "./harness/provider.ts";
import { Watcher } from "./harness/watcher.ts";

it("x", async () => {
  const child = fork(new URL("./gc-scratch.mts", import.meta.url).pathname, { execArgv: ["--expose-gc"] });
  const [port] = await once(child, "message");
  const address = `127.0.0.1:${port}`;
  const client = grpcClient(address);
  const changeTo = (v: number) =>
    register(client, { tools: [offeredTool("changing", "http://127.0.0.1:9/", { description: `${v} `.padEnd(16384, "x") })] });
  const often = async (from: number, to: number) => {
    for (let i = from; i < to; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => changeTo(i + j)));
  };
  let t = performance.now();
  const lap = async (what: string) => { const d = Math.round(performance.now() - t); child.send("x"); const [m] = await once(child, "message"); console.log(what, d, JSON.stringify(m)); t = performance.now(); };
  await lap("1000 start");
  await often(0, 1000); await lap("1000 none");
  await often(0, 1000); await lap("1000 none");
  const quick = new Watcher(client);
  await often(1000, 2000); await lap("1000 quick");
  const slow = Array.from({ length: 20 }, () => new Watcher(grpcClient(address, { "toolgate.own": 1 })));
  for (const w of slow) w.stream.pause();
  await often(2000, 3000); await lap("1000 slow");
  await often(3000, 4000); await lap("1000 slow");
  await often(4000, 5000); await lap("1000 slow");
  void quick; child.kill("SIGKILL");
}, 120000);
