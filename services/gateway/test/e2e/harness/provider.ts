import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client, Metadata } from "@grpc/grpc-js";
import {
  RefusalReason,
  type RegisterRequestSchema,
  RegisterStatus,
  type ToolDefinitionSchema,
  ToolGatewayService,
} from "@toolgate/contract";
import { rpc } from "./grpc-client.ts";

type ToolInit = MessageInitShape<typeof ToolDefinitionSchema>;

export const SECRET = "a-secret-of-16-and-more";

/** A tool at an HTTP endpoint, as a provider registers it. */
export function offeredTool(name: string, endpoint: string, fields: Exclude<ToolInit, { $typeName: string }> = {}) {
  return { name, backend: { case: "http", value: { endpoint } }, ...fields } as ToolInit;
}

type RegisterInit = Exclude<MessageInitShape<typeof RegisterRequestSchema>, { $typeName: string }>;

/** Registers, with what is always needed filled in. */
export function register(client: Client, request: RegisterInit, metadata?: Metadata) {
  const defaults = metadata === undefined ? { leaseSecret: SECRET } : {};
  return rpc(
    client,
    ToolGatewayService.method.register,
    { toolset: "weather", instanceId: "one", ...defaults, ...request },
    metadata,
  );
}

/** An outcome in words: "t: REGISTERED", "t: REFUSED NAME_TAKEN". */
export function outcomesOf({ outcomes }: Awaited<ReturnType<typeof register>>): string[] {
  return outcomes.map(({ tool, status, reason }) => {
    const why = status === RegisterStatus.REFUSED ? ` ${nameOf(RefusalReason, reason)}` : "";
    return `${tool}: ${nameOf(RegisterStatus, status)}${why}`;
  });
}

function nameOf(values: Readonly<Record<string, number>>, value: number): string | undefined {
  return Object.keys(values).find((name) => values[name] === value);
}
