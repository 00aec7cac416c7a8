import { create } from "@bufbuild/protobuf";
import { type Metadata, type ServerUnaryCall, status } from "@grpc/grpc-js";
import {
  type CheckRequest,
  type CheckResponse,
  CheckResponseSchema,
  type InvokeRequest,
  type InvokeResponse,
} from "@toolgate/contract";
import { logWith, type ProviderLog } from "../log.ts";
import type { Check, Tool, ToolContext } from "../tool/tool.ts";
import { ToolFailure } from "../tool/tool-failure.ts";
import { callSignal } from "./call-signal.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import { failed, invoke } from "./invocation.ts";

export interface HandlerPorts {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly calls: CallsInFlight;
  readonly log: ProviderLog;
  /** The check of the provider as a whole. */
  readonly check: Check | undefined;
  /** How many handlers may run at once. */
  readonly maxConcurrent: number;
  readonly now: () => number;
}

/** A gRPC status error: the provider itself cannot answer. */
export class Refused extends Error {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

const CLOSED = "This provider is stopping; the tool was not run.";

/** What ToolProviderService does. Rejects only with {@link Refused}. */
export function providerHandlers(ports: HandlerPorts) {
  return {
    async invoke(call: ServerUnaryCall<InvokeRequest, InvokeResponse>): Promise<InvokeResponse> {
      const { request } = call;
      if (ports.calls.closed) throw new Refused(status.UNAVAILABLE, CLOSED);
      const tool = ports.tools.get(request.tool);
      if (tool === undefined) {
        return failed(new ToolFailure("TOOL_NOT_FOUND", `This provider has no tool ${JSON.stringify(request.tool)}.`));
      }
      if (ports.calls.count >= ports.maxConcurrent) {
        const message = `The provider of "${tool.name}" already runs ${ports.maxConcurrent} calls, as many as it may.`;
        return failed(new ToolFailure("OVERLOADED", message, { retryable: true }));
      }
      using ending = callSignal(call, ports.now);
      const { signal } = ending.control;
      const trace = traceOf(call.metadata);
      return await ports.calls.track(ending.control, () => invoke(tool, request, { signal, trace, log: ports.log }));
    },

    async check(call: ServerUnaryCall<CheckRequest, CheckResponse>): Promise<CheckResponse> {
      const { tool: name } = call.request;
      if (ports.calls.closed) return unavailable(CLOSED);
      const tool = ports.tools.get(name);
      if (name !== "" && tool === undefined) return unavailable(`This provider has no tool ${JSON.stringify(name)}.`);
      const check = name === "" ? ports.check : tool?.check;
      if (check === undefined) return create(CheckResponseSchema, { available: true });
      using ending = callSignal(call, ports.now);
      const log = logWith(ports.log, name === "" ? {} : { tool: name });
      return await answerOf(check, ending.control.signal, log);
    },
  };
}

async function answerOf(check: Check, signal: AbortSignal, log: ProviderLog): Promise<CheckResponse> {
  try {
    const answer = await check({ signal });
    if (answer === true) return create(CheckResponseSchema, { available: true });
    return unavailable(typeof answer === "string" && answer !== "" ? answer : "Its check says no.");
  } catch (error) {
    log.error({ error }, "a check threw");
    return unavailable("Its check failed; the provider's log says why.");
  }
}

function unavailable(reason: string): CheckResponse {
  return create(CheckResponseSchema, { available: false, reason });
}

/** https://www.w3.org/TR/trace-context/ */
function traceOf(metadata: Metadata): ToolContext["trace"] {
  const [traceparent] = metadata.get("traceparent");
  const [tracestate] = metadata.get("tracestate");
  return {
    ...(typeof traceparent === "string" ? { traceparent } : {}),
    ...(typeof tracestate === "string" ? { tracestate } : {}),
  };
}
