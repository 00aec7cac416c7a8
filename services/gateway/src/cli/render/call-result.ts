import { type CallError, type CallMeta, type CallResult, stringifyJson } from "@toolgate/client";
import { type Screen, shown, type Terminal } from "../terminal.ts";

/** Shows a result to people: the data on stdout, all else on stderr. */
export function renderResult(result: CallResult, { out, err }: Terminal): void {
  if (result.status === "error") {
    err.write(`${errorLines(result.error, err).join("\n")}\n`);
  } else {
    const text = typeof result.data === "string" ? result.data : stringifyJson(result.data, 2);
    out.write(`${shown(text, out)}${text.endsWith("\n") ? "" : "\n"}`);
  }
  if (result.status === "delegated") {
    err.write("The agent runs this tool itself; these are its checked arguments.\n");
  }
  for (const warning of result.meta.warnings) err.write(`${err.style("yellow", "warning:")} ${shown(warning, err)}\n`);
  err.write(`${err.style("dim", shown(metaLine(result.tool, result.meta), err))}\n`);
}

function errorLines(error: CallError, err: Screen): string[] {
  const { code, message, violations, nearNames, retryAfterMs, backendAnswer } = error;
  const more = violations.map(({ path, expected, got }) => `${path || "(whole)"}: expected ${expected}, got ${got}`);
  if (backendAnswer !== undefined) more.push(`The backend answered ${backendAnswer.status}: ${backendAnswer.body}`);
  if (!nearNames.every((name) => message.includes(name))) more.push(`Near names: ${nearNames.join(", ")}`);
  if (retryAfterMs !== undefined) more.push(`Try again in ${Math.ceil(retryAfterMs / 100) / 10} s.`);
  return [`${err.style("red", code)} ${shown(message, err)}`, ...more.map((line) => `  ${shown(line, err)}`)];
}

function metaLine(tool: string, { latencyMs, cached, attempts, truncated, callId }: CallMeta): string {
  const parts = [tool, `${latencyMs} ms`];
  if (cached) parts.push("cached");
  if (attempts !== 1) parts.push(attempts === 0 ? "backend not reached for" : `${attempts} attempts`);
  if (truncated) parts.push("the result was cut");
  return [...parts, `call ${callId}`].join(" · ");
}
