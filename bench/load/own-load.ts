import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import type { LoadGenerator, LoadResult } from "./load.ts";

const MAIN = fileURLToPath(new URL("own-load-main.ts", import.meta.url));

/** Load from a Node process: grpc-js for gRPC, autocannon for HTTP. */
export function ownLoad({ children }: Bench): LoadGenerator {
  return {
    name: "own (grpc-js 1.14, autocannon 9)",
    async run(job) {
      const child = children.start([process.execPath, MAIN], { ipc: true });
      await child.message();
      const result = child.message<LoadResult>();
      child.process.send(job);
      return result;
    },
  };
}
