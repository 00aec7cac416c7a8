import { create, toBinary } from "@bufbuild/protobuf";
import { CallRequestSchema } from "@toolgate/contract";
import type { LoadTarget } from "../load/load.ts";
import { type BenchTool, CALL_PATH } from "./tools.ts";

export const SERVERS = ["echo", "forwarder", "gateway"] as const;
export type ServerName = (typeof SERVERS)[number];

/** How arguments and result travel: gRPC with a Struct, gRPC with JSON text, HTTP/JSON. */
export const ENCODINGS = ["gRPC Struct", "gRPC JSON text", "HTTP JSON"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One row of the comparison. */
export interface Contender {
  readonly server: ServerName;
  readonly encoding: Encoding;
  readonly tool: BenchTool;
  /** Of the process whose CPU counts. */
  readonly pid: number;
  readonly target: LoadTarget;
}

export interface Doors {
  readonly pid: number;
  /** "host:port" */
  readonly grpc: string;
  readonly http?: string;
}

/** A server's row for a tool and an encoding. */
export function contender(
  server: ServerName,
  doors: Doors,
  [tool, encoding]: readonly [BenchTool, Encoding],
): Contender {
  return { server, encoding, tool, pid: doors.pid, target: targetOf(doors, tool, encoding) };
}

function targetOf({ grpc, http = "" }: Doors, tool: BenchTool, encoding: Encoding): LoadTarget {
  if (encoding === "HTTP JSON") {
    return { kind: "http", url: `${http}/v1/call`, body: JSON.stringify({ tool: tool.name, params: tool.args }) };
  }
  const input =
    encoding === "gRPC Struct"
      ? { case: "arguments" as const, value: tool.args }
      : { case: "argumentsJson" as const, value: JSON.stringify(tool.args) };
  const request = create(CallRequestSchema, { target: { case: "tool", value: tool.name }, input });
  return { kind: "grpc", address: grpc, path: CALL_PATH, message: toBinary(CallRequestSchema, request) };
}

export function nameOf({ server, encoding, tool }: Contender): string {
  return `${server}, ${encoding}, ${tool.name}`;
}
