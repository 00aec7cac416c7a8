import { type Invocation, type JsonObject, type JsonValue, jsonTypeOf } from "@toolgate/core";
import { type BadArgument, badArgument, quoted } from "./bad-argument.ts";
import { type BodyMember, writeBody } from "./body.ts";
import { appendPairs, encodeSegment, encodeText, textOf } from "./encode.ts";
import { isHeaderValue } from "./header-rules.ts";
import { appendTrace } from "./headers.ts";
import type { HttpPlan } from "./plan.ts";
import { destinationOf, type Route } from "./routes.ts";
import type { HttpMethod } from "./settings.ts";
import { DOT_SEGMENT } from "./template.ts";

/** A request, ready to be sent. */
export interface OutgoingRequest {
  readonly method: HttpMethod;
  /** Encoded path and query. */
  readonly path: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  readonly body: string | null;
}

/** A step up or none, also for servers that decode "%2F" before they look. */
const CLIMBS = /(^|[/\\])\.{1,2}([/\\]|$)/;

/**
 * Writes the request of one call.
 *
 * @throws ToolgateError INVALID_ARGUMENT where an argument cannot be put
 * where it belongs; nothing has been sent then.
 */
export function writeRequest(plan: HttpPlan, invocation: Invocation): OutgoingRequest {
  const headers = [...plan.headers];
  appendTrace(headers, invocation.trace);
  appendIdempotencyKey(headers, plan, invocation);
  if (plan.body.passesText && invocation.argsText !== undefined && Object.keys(invocation.args).length > 0) {
    headers.push("content-type", plan.body.contentType);
    return { method: plan.method, path: fixedPath(plan), headers, body: invocation.argsText };
  }
  const parts = new RequestParts(plan, invocation.tool.name, headers);
  parts.place(invocation.args);
  const body = writeBody(plan.body, parts.members, invocation.tool.name);
  if (body !== undefined) headers.push("content-type", plan.body.contentType);
  return { method: plan.method, path: parts.path(), headers, body: body ?? null };
}

function appendIdempotencyKey(headers: string[], plan: HttpPlan, invocation: Invocation): void {
  const { idempotencyKey, tool } = invocation;
  if (plan.idempotencyHeader === undefined || idempotencyKey === undefined) return;
  if (!isHeaderValue(idempotencyKey)) {
    throw badArgument(tool.name, { name: "idempotency_key", expected: "printable ASCII", got: quoted(idempotencyKey) });
  }
  headers.push(plan.idempotencyHeader, idempotencyKey);
}

function fixedPath({ template }: HttpPlan): string {
  const path = template.literals[0] as string;
  return template.query === "" ? path : `${path}?${template.query}`;
}

/** Collects the arguments of one call at their places. */
class RequestParts {
  readonly members: BodyMember[] = [];
  readonly #plan: HttpPlan;
  readonly #tool: string;
  readonly #headers: string[];
  readonly #segments: string[] = [];
  #query: string;

  constructor(plan: HttpPlan, tool: string, headers: string[]) {
    this.#plan = plan;
    this.#tool = tool;
    this.#headers = headers;
    this.#query = plan.template.query;
  }

  place(args: JsonObject): void {
    for (const name of Object.keys(args)) {
      const value = args[name] as JsonValue;
      const route = this.#plan.routes.get(name) ?? this.#unplanned(name);
      switch (route.place) {
        case "query":
          this.#query = appendPairs(this.#query, route.encodedKey, value);
          break;
        case "body":
          this.members.push([route.name, value]);
          break;
        case "path":
          this.#intoPath(name, route.slots, value);
          break;
        case "header":
          this.#intoHeader(name, route.name, value);
      }
    }
  }

  path(): string {
    const { template } = this.#plan;
    const path = template.slots.length === 0 ? (template.literals[0] as string) : this.#renderPath();
    return this.#query === "" ? path : `${path}?${this.#query}`;
  }

  #unplanned(name: string): Route {
    const route: Route =
      this.#plan.fallback === "body" ? { place: "body", name } : { place: "query", encodedKey: encodeText(name) };
    const owner = this.#plan.taken.get(destinationOf(route));
    if (owner === undefined) return route;
    throw badArgument(this.#tool, { name, expected: "another name", got: `the place of ${owner}` });
  }

  #intoPath(name: string, slots: readonly number[], value: JsonValue): void {
    const expected = "text for one path segment";
    if (value === null) throw badArgument(this.#tool, { name, expected, got: "null" });
    const encoded = encodeSegment(value);
    if (encoded === "") throw badArgument(this.#tool, { name, expected, got: "nothing" });
    const text = typeof value === "string" ? value : encoded;
    if (CLIMBS.test(text)) throw badArgument(this.#tool, { name, expected: NO_DOTS, got: quoted(text) });
    for (const slot of slots) this.#segments[slot] = encoded;
  }

  #intoHeader(name: string, header: string, value: JsonValue): void {
    if (value === null) return;
    const text = Array.isArray(value)
      ? value
          .filter((item) => item !== null)
          .map(textOf)
          .join(", ")
      : textOf(value);
    if (!isHeaderValue(text)) {
      const expected = `printable ASCII for the header ${header}`;
      throw badArgument(this.#tool, {
        name,
        expected,
        got: typeof value === "string" ? quoted(text) : jsonTypeOf(value),
      });
    }
    this.#headers.push(header, text);
  }

  /** Values are only ever put beside the literals, so nothing in them is taken for a placeholder. */
  #renderPath(): string {
    const { literals, slots } = this.#plan.template;
    let path = literals[0] as string;
    for (const [slot, name] of slots.entries()) {
      const segment = this.#segments[slot];
      if (segment === undefined) throw badArgument(this.#tool, this.#missing(slot, name));
      path += segment + literals[slot + 1];
    }
    // Two harmless values can be a ".." together, where placeholders stand side by side.
    if (DOT_SEGMENT.test(path)) {
      throw badArgument(this.#tool, { name: slots[0] as string, expected: NO_DOTS, got: "a dot segment" });
    }
    return path;
  }

  #missing(slot: number, placeholder: string): BadArgument {
    const argument = [...this.#plan.routes].find(([, route]) => route.place === "path" && route.slots.includes(slot));
    return { name: argument?.[0] ?? placeholder, expected: "text for one path segment", got: "nothing" };
  }
}

const NO_DOTS = 'a path segment other than "." and ".."';
