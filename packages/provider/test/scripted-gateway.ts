import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type status } from "@grpc/grpc-js";
import {
  type DeregisterRequest,
  DeregisterResponseSchema,
  type HeartbeatRequest,
  HeartbeatResponseSchema,
  type RegisterRequest,
  RegisterResponseSchema,
  RegisterStatus,
  ToolGatewayService,
} from "@toolgate/contract";
import { onTestFinished } from "vitest";
import { unaryDefinition } from "../src/codec.ts";

/** What a script throws to answer with a gRPC status. */
export class GatewaySays {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    this.code = code;
    this.details = details;
  }
}

/** What the gateway answers; each can be replaced at any time. */
export interface Script {
  leaseMs: number;
  register: (request: RegisterRequest) => Answer<typeof RegisterResponseSchema>;
  heartbeat: (request: HeartbeatRequest) => Answer<typeof HeartbeatResponseSchema>;
  deregister: (request: DeregisterRequest) => Answer<typeof DeregisterResponseSchema>;
}

type Answer<S extends Parameters<typeof create>[0]> = MessageInitShape<S> | Promise<MessageInitShape<S>>;

/** A gateway that only keeps leases: on a real socket, and quick, so that tests need not wait. */
export interface ScriptedGateway {
  readonly port: number;
  readonly address: string;
  readonly script: Script;
  readonly registers: RegisterRequest[];
  readonly heartbeats: HeartbeatRequest[];
  readonly deregisters: DeregisterRequest[];
  /** The authorization of each request, in order. */
  readonly keys: (string | undefined)[];
  /** Ends every connection at once, as a crash does. */
  crash(): void;
}

/** Everything that is registered is new, and known for as long as this gateway lives. */
export async function startGateway(port = 0, script: Partial<Script> = {}): Promise<ScriptedGateway> {
  const server = new Server();
  const known = new Set<string>();
  const answers: Script = { leaseMs: 300, ...defaults(known, () => answers.leaseMs), ...script };
  const registers: RegisterRequest[] = [];
  const heartbeats: HeartbeatRequest[] = [];
  const deregisters: DeregisterRequest[] = [];
  const keys: (string | undefined)[] = [];
  const { method } = ToolGatewayService;
  const noting = <I>(seen: I[], answer: (request: I) => object | Promise<object>) => {
    return async (call: ServerUnaryCall<I, object>, callback: (error: object | null, value?: object) => void) => {
      seen.push(call.request);
      keys.push(call.metadata.get("authorization")[0] as string | undefined);
      try {
        callback(null, await answer(call.request));
      } catch (thrown) {
        if (!(thrown instanceof GatewaySays)) throw thrown;
        callback({ code: thrown.code, details: thrown.details, metadata: new Metadata() });
      }
    };
  };
  server.addService(
    {
      Register: unaryDefinition(method.register),
      Heartbeat: unaryDefinition(method.heartbeat),
      Deregister: unaryDefinition(method.deregister),
    },
    {
      Register: noting(registers, async (r) => create(RegisterResponseSchema, await answers.register(r))),
      Heartbeat: noting(heartbeats, async (r) => create(HeartbeatResponseSchema, await answers.heartbeat(r))),
      Deregister: noting(deregisters, async (r) => create(DeregisterResponseSchema, await answers.deregister(r))),
    },
  );
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, got) =>
      error === null ? resolve(got) : reject(error),
    );
  });
  const crash = () => server.forceShutdown();
  onTestFinished(crash);
  const address = `127.0.0.1:${bound}`;
  return { port: bound, address, script: answers, registers, heartbeats, deregisters, keys, crash };
}

function defaults(known: Set<string>, leaseMs: () => number): Omit<Script, "leaseMs"> {
  return {
    register({ tools, instanceId }) {
      known.add(instanceId);
      const outcomes = tools.map(({ name }) => ({ tool: name, status: RegisterStatus.REGISTERED }));
      return { leaseId: instanceId, lease: durationFromMs(leaseMs()), outcomes };
    },
    heartbeat: ({ leaseId }) =>
      known.has(leaseId) ? { known: true, lease: durationFromMs(leaseMs()) } : { known: false },
    deregister: ({ leaseId }) => ({ known: known.delete(leaseId) }),
  };
}
