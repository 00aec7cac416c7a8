import type { Bench } from "../bench.ts";
import { type Gateway, startGateway, writeConfig } from "../servers/gateway.ts";
import { type RunningServer, startServer } from "../servers/start.ts";
import { type Contender, contender, type Doors, ENCODINGS, type Encoding } from "./contender.ts";
import { GET_TOOL, TOOLS } from "./tools.ts";

export interface LineUp {
  readonly backend: RunningServer;
  readonly gateway: Gateway;
  readonly forwarder: RunningServer;
  /** In the order of their turns. */
  readonly contenders: readonly Contender[];
  end(): Promise<void>;
}

const GRPC: readonly Encoding[] = ["gRPC Struct", "gRPC JSON text"];

/** Starts the backend and everything that is compared in front of it, each in a process of its own. */
export async function lineUp(bench: Bench): Promise<LineUp> {
  const backend = await startServer(bench, "backend-main.ts");
  const origin = `http://${backend.address}`;
  const echo = await startServer(bench, "echo-main.ts");
  const forwarder = await startServer(bench, "forwarder-main.ts", [origin]);
  const files = Object.fromEntries(TOOLS.map((tool) => [tool.name, tool.file(origin)]));
  const gateway = await startGateway(bench, { config: writeConfig(bench, "calls", files) });
  const plain = ({ pid, address }: RunningServer): Doors => ({ pid, grpc: address });
  const contenders = [
    ...GRPC.map((encoding) => contender("echo", plain(echo), [GET_TOOL, encoding])),
    // A pair stands together: what slows the machine down for a moment slows both.
    ...TOOLS.flatMap((tool) => [
      ...GRPC.flatMap((encoding) => [
        contender("forwarder", plain(forwarder), [tool, encoding]),
        contender("gateway", gateway, [tool, encoding]),
      ]),
      contender("gateway", gateway, [tool, "HTTP JSON"]),
    ]),
  ];
  const processes = [gateway.child, forwarder.child, echo.child, backend.child];
  return {
    backend,
    gateway,
    forwarder,
    contenders,
    end: async () => {
      for (const child of processes) await bench.children.end(child.process);
    },
  };
}

/** Rows that are compared with each other: the same tool, the same encoding where the forwarder has it. */
export function baselineOf(
  row: Pick<Contender, "encoding" | "tool">,
  all: readonly Contender[],
): Contender | undefined {
  // The forwarder has no HTTP door: its cheaper one stands for it.
  const encoding = row.encoding === "HTTP JSON" ? ENCODINGS[1] : row.encoding;
  return all.find((other) => other.server === "forwarder" && other.tool === row.tool && other.encoding === encoding);
}
