import {
  type Data,
  describeFault,
  isIdempotent,
  parseJson,
  type ReadyCall,
  type ScriptFault,
  type ScriptRunner,
  stringifyJson,
  ToolgateError,
} from "@toolgate/core";

/** What the tool's transform script makes of its answer; the answer as it is where there is no script. */
export async function transform(call: ReadyCall, scripts: ScriptRunner, data: Data): Promise<Data> {
  const { tool } = call.entry;
  const { transform: script, maxBytes } = tool.response;
  if (script === undefined) return data;
  const input = data.text ?? stringifyJson(data.value);
  const bounds = { timeoutMs: script.timeoutMs, maxBytes, signal: call.signal };
  const result = await scripts.run(script, input, bounds);
  if (result.kind === "fault") throw failure(call, result.fault);
  try {
    return { value: parseJson(result.text), text: result.text };
  } catch (cause) {
    throw failure(call, { kind: "not-json", message: cause instanceof Error ? cause.message : String(cause) });
  }
}

function failure({ entry: { tool } }: ReadyCall, fault: ScriptFault): ToolgateError {
  const message = `The transform script of "${tool.name}" ${describeFault(fault)}.`;
  if (fault.kind === "cancelled") return new ToolgateError("CANCELLED", message);
  if (fault.kind === "too-large") return new ToolgateError("RESULT_TOO_LARGE", message);
  // The backend has done its work: whoever tries again has it done once more.
  const retryable = fault.kind === "busy" && isIdempotent(tool);
  return new ToolgateError("RESULT_INVALID", message, {
    retryable,
    ...(fault.kind === "broken" ? { cause: fault.cause } : {}),
  });
}
