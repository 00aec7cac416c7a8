import type { BackendSpec, JsonObject } from "@toolgate/core";
import { z } from "zod";
import { requestKeys } from "./settings.ts";
import { parseTemplate } from "./template.ts";

/** What a tool file says beside the keys of its kind. */
export interface ToolKindContext {
  readonly toolName: string;
  /** Argument → place, from `in:`. */
  readonly locations: Readonly<Record<string, string>>;
  /** Argument → name in the request, from `wire_name:`. */
  readonly names: Readonly<Record<string, string>>;
}

const keysOfFile = {
  ...requestKeys,
  // Base URLs and keys in a query come from the environment, too.
  endpoint: requestKeys.endpoint.meta({ ...requestKeys.endpoint.meta(), secret: true }),
  backend: z.string().min(1).optional().describe("Name of the backend; the endpoint's host where unsaid"),
};

/** How a tool file describes an http tool. What is wrong with the request itself, the backend's `inspect` says. */
export const httpToolKind = {
  kind: "http",
  shape: keysOfFile,
  toBackend(keys: Record<string, unknown>, { locations, names }: ToolKindContext): BackendSpec {
    // With `provider: http`, the file's `type` is a label of its own.
    const { backend, type: _label, ...request } = keys;
    const settings: Record<string, unknown> = { ...request };
    if (Object.keys(locations).length > 0) settings.locations = { ...locations };
    if (Object.keys(names).length > 0) settings.names = { ...names };
    return {
      kind: "http",
      name: typeof backend === "string" ? backend : hostOf(request),
      settings: withoutUndefined(settings),
    };
  },
} as const;

function hostOf({ endpoint, path }: Record<string, unknown>): string {
  const template = parseTemplate(String(endpoint), typeof path === "string" ? path : undefined);
  return typeof template === "string" ? "unknown" : template.host;
}

function withoutUndefined(settings: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as JsonObject;
}
