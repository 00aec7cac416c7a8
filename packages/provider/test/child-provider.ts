/** A provider as a process: what the tests of signals start. Says on stdout what happens to it. */
import { defineTool, serve } from "../src/index.ts";

const [gateway = "", ...flags] = process.argv.slice(2);
const draining = Promise.withResolvers<void>();
const stopped = Promise.withResolvers<void>();

const tools = [
  defineTool({
    name: "slow",
    description: "Answers once the provider drains",
    schema: {},
    async handler() {
      console.log("slow began");
      await draining.promise;
      return "finished";
    },
  }),
  defineTool({
    name: "endless",
    description: "Never answers",
    schema: {},
    handler() {
      console.log("endless began");
      return new Promise(() => {});
    },
  }),
];

if (flags.includes("--own-cleanup")) {
  process.on("SIGTERM", async () => {
    await stopped.promise;
    console.log("own cleanup done");
    process.exit(7);
  });
}

const provider = await serve({
  gateway,
  toolset: "child",
  tools,
  handleSignals: !flags.includes("--leave-signals"),
  log: { info() {}, warn() {}, error() {} },
  onState(state) {
    if (state === "registered") return;
    console.log(state);
    if (state === "draining") draining.resolve();
    else stopped.resolve();
  },
});
console.log(`serving ${provider.address}`);
