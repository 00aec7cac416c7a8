import type { MessagePort } from "node:worker_threads";
import type { Engine, Job, WorkerMessage } from "./job.ts";

/** The life of a worker: it opens an engine, says so, does what it is asked, and opens another where one is spent. */
export async function serve(port: MessagePort | null, open: () => Promise<Engine>): Promise<void> {
  if (port === null) throw new Error("This file is the code of a worker thread.");
  const say = (message: WorkerMessage) => port.postMessage(message);
  let engine = await open();
  port.on("message", async (job: Job) => {
    say({ kind: "done", result: engine.run(job) });
    if (engine.isSpent) engine = await open();
    say({ kind: "ready" });
  });
  say({ kind: "ready" });
}
