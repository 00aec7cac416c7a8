import { ToolGatewayService } from "@toolgate/contract";
import { ToolgateClientError } from "./client-error.ts";
import type { Requester, RequestOptions } from "./requester.ts";
import type { CallResult } from "./result.ts";

/** How a call ended that the gateway handed back and the agent ran itself. */
export interface Outcome {
  /** `meta.callId` of the delegated result. */
  readonly callId: string;
  readonly status: "success" | "error";
  /** Of an error, such as "TOOL_ERROR": 1 to 64 characters of A-Z, 0-9 and "_". */
  readonly code?: string;
  /** How long the agent's own run took, in milliseconds. */
  readonly latencyMs: number;
}

/** A result waits at most so long until the gateway has heard how it came to be. */
const REPORT_TIMEOUT_MS = 2_000;

/** Reports outcomes; whether a gateway hears of one changes nothing for whoever waits for the result. */
export class OutcomeReports {
  readonly #requester: Requester;
  #wanted: boolean;

  constructor(requester: Requester, wanted: boolean) {
    this.#requester = requester;
    this.#wanted = wanted;
  }

  /** Answers whether the gateway knew the call. */
  async send({ callId, status, code = "", latencyMs }: Outcome, options?: RequestOptions): Promise<boolean> {
    const request = { callId, status, code, latencyMs };
    return (await this.#requester.send(ToolGatewayService.method.reportOutcome, request, options)).known;
  }

  /** Runs a handler, and tells the gateway how that ended. Gives, or throws, what the handler's run gave. */
  async of<T>(callId: string, run: () => Promise<CallResult<T>>): Promise<CallResult<T>> {
    const startedAt = performance.now();
    const tell = (end: Pick<Outcome, "status" | "code">) =>
      this.#tell({ callId, ...end, latencyMs: performance.now() - startedAt });
    try {
      const result = await run();
      // Waited for: a program may end right after its last result.
      await tell(result.status === "error" ? { status: "error", code: result.error.code } : { status: "success" });
      return result;
    } catch (thrown) {
      // Not waited for: who cancelled wants to go on.
      void tell({ status: "error", code: "CANCELLED" });
      throw thrown;
    }
  }

  async #tell(outcome: Outcome): Promise<void> {
    if (!this.#wanted) return;
    try {
      await this.send(outcome, { timeoutMs: REPORT_TIMEOUT_MS });
    } catch (error) {
      // An older gateway has nobody who listens; what else may go wrong can go right the next time.
      if (error instanceof ToolgateClientError && error.code === "UNIMPLEMENTED") this.#wanted = false;
    }
  }
}
