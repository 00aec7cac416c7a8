import { type JsonObject, stringifyJson } from "@toolgate/core";
import { didYouMean, listed } from "@toolgate/documents";
import { z } from "zod";
import { toolKeys } from "./tool-keys.ts";
import type { ToolKind } from "./tool-kind.ts";

export type ChosenKind =
  | { readonly ok: true; readonly kind: ToolKind | undefined }
  | { readonly ok: false; readonly key: string; readonly message: string };

/** The kind that a tool's `type` or `provider` names; none for a tool that the client runs. */
export function chooseKind(tool: JsonObject, kinds: readonly ToolKind[]): ChosenKind {
  const { type, provider, execution } = tool;
  if (execution === "client") {
    if (type === undefined && provider === undefined) return { ok: true, kind: undefined };
    const key = provider === undefined ? "type" : "provider";
    const message = `A tool that the client runs (execution: client) has no backend: leave out "${key}".`;
    return { ok: false, key, message };
  }
  const key = provider === undefined ? "type" : "provider";
  const wanted = tool[key];
  const known = kinds.map(({ kind }) => kind).sort();
  if (wanted === undefined) {
    return { ok: false, key, message: `The key "type" is missing: expected ${listed(known)}.` };
  }
  const kind = kinds.find((candidate) => candidate.kind === wanted);
  if (kind !== undefined) return { ok: true, kind };
  const got = typeof wanted === "string" ? `not ${stringifyJson(wanted.slice(0, 64))}` : "as text";
  const hint = typeof wanted === "string" ? didYouMean(wanted, known) : "";
  return { ok: false, key, message: `"${key}" must be ${listed(known)}, ${got}.${hint}` };
}

const schemas = new WeakMap<ToolKind, z.ZodObject>();
const withoutKind = z.strictObject(toolKeys);

/** What a tool of this kind may say. Building a schema is dear, so each is built once. */
export function schemaOfTool(kind: ToolKind | undefined): z.ZodObject {
  if (kind === undefined) return withoutKind;
  let schema = schemas.get(kind);
  if (schema === undefined) {
    const { type = toolKeys.type, ...own } = kind.shape;
    schema = z.strictObject({ ...withSecretHeaders(own), ...toolKeys, type });
    schemas.set(kind, schema);
  }
  return schema;
}

function withSecretHeaders(shape: z.ZodRawShape): z.ZodRawShape {
  const headers = shape.headers as z.ZodType | undefined;
  if (headers === undefined) return shape;
  return { ...shape, headers: headers.meta({ ...headers.meta(), secret: true }) };
}

/** The part of a checked tool that is for its kind. */
export function keysOfKind(tool: Readonly<Record<string, unknown>>, kind: ToolKind): Record<string, unknown> {
  const names = Object.keys(kind.shape).filter((name) => name === "type" || !Object.hasOwn(toolKeys, name));
  if (tool.provider !== undefined) names.push("type");
  return Object.fromEntries(names.filter((name) => tool[name] !== undefined).map((name) => [name, tool[name]]));
}
