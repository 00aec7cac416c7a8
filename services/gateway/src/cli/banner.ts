import { type Snapshot, toolHealth, toolsetHealth, toolsetsByName } from "@toolgate/core";
import { formatProblem } from "@toolgate/documents";
import type { RunningGateway } from "../compose/gateway.ts";
import { hostAndPort } from "../transport/door.ts";

/** What is said at start: where it listens, what is healthy, and how to try it. */
export function banner({ doors, snapshot, problems }: RunningGateway): string {
  const now = snapshot();
  return [
    `Toolgate is ready.`,
    `  gRPC   ${hostAndPort(doors.grpc)}`,
    `  HTTP   http://${hostAndPort(doors.http)}   POST /v1/call, GET /v1/tools`,
    `  admin  http://${hostAndPort(doors.admin)}   /metrics, /healthz, /readyz`,
    "",
    ...toolsetLines(now),
    ...problems().map((problem) => `  problem  ${formatProblem(problem)}`),
    "",
    ...tryLines(now, doors),
    "",
  ].join("\n");
}

function toolsetLines(snapshot: Snapshot): string[] {
  const toolsets = toolsetsByName(snapshot);
  if (toolsets.length === 0) return ['No tools yet. Set "tools_dir" in the configuration, or let a provider register.'];
  const width = Math.max(...toolsets.map(({ name }) => name.length));
  return [
    "Toolsets",
    ...toolsets.map((toolset) => {
      const { state, reason } = toolsetHealth(snapshot, toolset);
      const why = reason === "" ? "" : ` (${reason})`;
      return `  ${toolset.name.padEnd(width)}  ${state}${why}  ${toolset.tools.join(", ")}`;
    }),
  ];
}

/** The ways in, with a tool that really is there. */
function tryLines(snapshot: Snapshot, doors: RunningGateway["doors"]): string[] {
  const example = exampleCall(snapshot);
  if (example === undefined) return [];
  const { tool, params } = example;
  const grpc = hostAndPort(doors.grpc);
  const isDefault = grpc === "127.0.0.1:50051";
  const flags = Object.entries(params).map(([key, value]) => ` --param ${key}=${value}`);
  return [
    "Try it, in this folder and in another terminal:",
    "",
    `curl -s http://${hostAndPort(doors.http)}/v1/call -H 'content-type: application/json' -d '${JSON.stringify({ tool, params })}'`,
    "",
    `npx toolgate${isDefault ? "" : ` --gateway ${grpc}`} call ${tool}${flags.join("")}`,
    "",
    "npx node --input-type=module-typescript <<'TS'",
    'import { createClient } from "@toolgate/client";',
    `const client = createClient({ address: "${grpc}" });`,
    `const result = await client.call("${tool}", ${JSON.stringify(params)});`,
    'console.log(result.status === "success" ? result.data : result);',
    "client.close();",
    "TS",
  ];
}

function exampleCall(snapshot: Snapshot): { tool: string; params: Record<string, string> } | undefined {
  const wanted = [
    { tool: "weather_query", params: { city: "Beijing" } },
    { tool: "docs_search", params: { query: "error" } },
  ];
  return wanted.find(({ tool }) => {
    const entry = snapshot.tools.get(tool);
    return entry !== undefined && toolHealth(snapshot, entry).state !== "unavailable";
  });
}
