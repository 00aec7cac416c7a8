import { Metadata } from "@grpc/grpc-js";
import { type DefinitionProblem, type Planning, settingsPath, type ToolDefinition } from "@toolgate/core";
import { type ChannelTarget, receiveLimitFor } from "../grpc-channel/index.ts";
import { readDescriptorSet } from "./descriptors/descriptor-set.ts";
import { type FoundMethod, findMethod, splitMethod, type ToolMethod } from "./descriptors/method.ts";
import { type GrpcSettings, readSettings } from "./settings.ts";

/** All that can be worked out about a tool's call before there is one. */
export interface GrpcPlan {
  readonly target: ChannelTarget;
  /** "package.Service/Method". */
  readonly name: string;
  readonly service: string;
  /** Unset where the service's reflection must be asked. */
  readonly method: ToolMethod | undefined;
  readonly metadata: Metadata;
  readonly idempotencyKey: string | undefined;
  readonly emitDefaults: boolean;
}

/** Plans the calls of a grpc tool, or says what is wrong with its definition. Never throws, reaches for nothing. */
export function planTool({ backend, response }: ToolDefinition): Planning<GrpcPlan> {
  const settings = readSettings(backend?.settings ?? {});
  if (isProblems(settings)) return { problems: settings };
  const found = methodIn(settings);
  if (found?.ok === false) return { problems: [{ path: settingsPath(found.key), message: found.why }] };
  const { target: address, tls, method: name, idempotency_metadata: idempotencyKey, emit_defaults } = settings;
  return {
    problems: [],
    plan: {
      target: { address, tls, receiveLimit: receiveLimitFor(response.maxBytes) },
      name,
      service: splitMethod(name)?.service ?? "",
      method: found?.method,
      metadata: metadataOf(settings),
      idempotencyKey,
      emitDefaults: emit_defaults,
    },
  };
}

type Found = Extract<FoundMethod, { ok: true }> | { readonly ok: false; readonly key: string; readonly why: string };

/** The method in the settings' own descriptors; `undefined` where they have none. */
export function methodIn(settings: Pick<GrpcSettings, "method" | "descriptor_set">): Found | undefined {
  const set = settings.descriptor_set;
  if (set === undefined) return undefined;
  const linked = readDescriptorSet(set);
  if (!linked.ok) return { ok: false, key: "descriptor_set", why: `The descriptor set cannot be used: ${linked.why}.` };
  const found = findMethod(linked.registry, settings.method);
  return found.ok ? found : { ok: false, key: "method", why: found.why };
}

function metadataOf({ metadata: entries }: GrpcSettings): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) {
    metadata.set(key, key.endsWith("-bin") ? Buffer.from(value, "base64") : value);
  }
  return metadata;
}

function isProblems(read: GrpcSettings | readonly DefinitionProblem[]): read is readonly DefinitionProblem[] {
  return Array.isArray(read);
}
