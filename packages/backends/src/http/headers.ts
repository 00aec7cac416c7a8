import { type DefinitionProblem, settingsPath } from "@toolgate/core";
import { isHeaderValue, problemOfArgumentHeader, problemOfFixedHeader } from "./header-rules.ts";
import type { Route } from "./routes.ts";
import type { HttpSettings } from "./settings.ts";

/** Sent unless the definition fixes a value of its own. */
const DEFAULTS = { accept: "application/json, */*;q=0.8", "user-agent": "toolgate" };

export interface HeaderPlan {
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly problems: readonly DefinitionProblem[];
}

/** The headers of every request of a tool. `content-type` is left to the body. */
export function planHeaders(settings: HttpSettings, routes: ReadonlyMap<string, Route>): HeaderPlan {
  const problems: DefinitionProblem[] = [];
  const refuse = (parts: readonly string[], message: string) =>
    problems.push({ path: settingsPath(...parts), message });
  const fixed = new Map<string, string>(Object.entries(DEFAULTS));
  const given = new Set<string>();
  for (const [name, value] of Object.entries(settings.headers)) {
    const lower = name.toLowerCase();
    const problem = problemOfFixedHeader(name, value);
    if (problem !== undefined) refuse(["headers", name], `The header cannot be sent: ${problem}.`);
    if (given.has(lower)) refuse(["headers", name], `The header "${name}" is given twice.`);
    given.add(lower);
    fixed.set(lower, value);
  }
  for (const [argument, route] of routes) {
    if (route.place !== "header") continue;
    const problem = problemOfArgumentHeader(route.name);
    if (problem !== undefined)
      refuse(["locations", argument], `The argument "${argument}" cannot go there: ${problem}.`);
    if (given.has(route.name.toLowerCase())) {
      refuse(["locations", argument], `The header "${route.name}" is set both by "headers" and by "${argument}".`);
    }
    fixed.delete(route.name.toLowerCase());
  }
  problems.push(...checkIdempotencyHeader(settings, given));
  fixed.delete("content-type");
  return { headers: [...fixed].flat(), problems };
}

function checkIdempotencyHeader(settings: HttpSettings, given: ReadonlySet<string>): DefinitionProblem[] {
  const name = settings.idempotency_header;
  if (name === undefined) return [];
  const path = settingsPath("idempotency_header");
  const problem = problemOfArgumentHeader(name);
  if (problem !== undefined) return [{ path, message: `It cannot carry the idempotency key: ${problem}.` }];
  return given.has(name.toLowerCase()) ? [{ path, message: `The header "${name}" is set by "headers" too.` }] : [];
}

/** What a definition says about the type of the body: `content_type`, or a header of that name. */
export function statedContentType(settings: HttpSettings): string | undefined {
  if (settings.content_type !== undefined) return settings.content_type;
  return Object.entries(settings.headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
}

/** W3C Trace Context goes on only in a form that a header can hold. */
export function appendTrace(headers: string[], trace: { traceparent?: string; tracestate?: string }): void {
  const { traceparent, tracestate } = trace;
  if (traceparent === undefined || !isHeaderValue(traceparent)) return;
  headers.push("traceparent", traceparent);
  if (tracestate !== undefined && isHeaderValue(tracestate)) headers.push("tracestate", tracestate);
}
