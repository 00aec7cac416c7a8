/** A provider as a process of its own: `node provider-process.ts GATEWAY INSTANCE`. It answers who it is. */
import { defineTool, serve } from "@toolgate/provider";

const [gateway = "", instanceId = ""] = process.argv.slice(2);

await serve({
  gateway,
  toolset: "who",
  instanceId,
  leaseSecret: "a-secret-of-both-instances",
  leaseMs: 5_000,
  tools: [
    defineTool({
      name: "who_are_you",
      description: "Says which instance answers",
      schema: { type: "object" },
      handler: async () => instanceId,
    }),
  ],
  onState: (state) => console.log(`state ${state}`),
});
