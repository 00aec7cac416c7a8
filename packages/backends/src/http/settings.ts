import { type DefinitionProblem, settingsPath } from "@toolgate/core";
import { z } from "zod";

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

export const PLACES = ["path", "query", "header", "body"] as const;
/** Where in a request an argument goes. */
export type Place = (typeof PLACES)[number];

const METHODS_WITH_BODY: ReadonlySet<HttpMethod> = new Set(["POST", "PUT", "PATCH"]);

/** The keys that a tool file and {@link httpSettings} share. */
export const requestKeys = {
  endpoint: z.string().describe("Absolute http or https URL; {name} in its path stands for an argument"),
  path: z.string().optional().describe("Joined to the endpoint by exactly one slash"),
  method: z.enum(HTTP_METHODS).default("GET").describe("The HTTP method"),
  headers: z.record(z.string(), z.string()).default({}).describe("Headers of every request"),
  content_type: z.string().optional().describe("Media type of the body; application/json where unsaid"),
  body_argument: z.string().optional().describe("The argument that is the whole body"),
  idempotency_header: z.string().optional().describe("The header that carries the caller's idempotency key"),
};

/** What `backend.settings` of an http tool may say. Header values may be secrets: they are never in a message. */
export const httpSettings = z.strictObject({
  ...requestKeys,
  locations: z.record(z.string(), z.enum(PLACES)).default({}).describe("Where an argument goes"),
  names: z.record(z.string(), z.string()).default({}).describe("The name of an argument in the request"),
});

export type HttpSettings = z.infer<typeof httpSettings>;

/** Where arguments go that nothing else is said about. */
export function defaultPlace(settings: Pick<HttpSettings, "method" | "body_argument">): "query" | "body" {
  return METHODS_WITH_BODY.has(settings.method) && settings.body_argument === undefined ? "body" : "query";
}

/** Reads settings, or says what is wrong with them. */
export function readSettings(settings: unknown): HttpSettings | readonly DefinitionProblem[] {
  const read = httpSettings.safeParse(settings);
  if (read.success) return read.data;
  return read.error.issues.map((issue) => ({ path: settingsPath(...issue.path), message: issue.message }));
}
