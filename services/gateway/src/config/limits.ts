import type { LimitRules } from "@toolgate/core";
import { legalName } from "@toolgate/documents";
import { idleLimitKeys, type LimitKeys, limitsSchema, toLimits } from "@toolgate/registrar/tool-files";
import { z } from "zod";
import type { ClientYaml } from "./clients-schema.ts";

/** Limits that nothing is put over, and that so must be complete. */
const wholeLimits = limitsSchema.superRefine((keys, context) => {
  for (const [key, message] of idleLimitKeys(keys)) context.addIssue({ code: "custom", path: [key], message });
});

export const rateLimitsSchema = z.strictObject({
  global: wholeLimits.optional().describe("Of all calls together."),
  per_tool: z
    .record(legalName(), limitsSchema)
    .optional()
    .describe("Of single tools; key by key, these go before what the tool's file says."),
  per_client: wholeLimits.optional().describe("Of each client by itself; without `clients`, everyone is one client."),
});

export function completeLimits(
  limits: z.output<typeof rateLimitsSchema> | undefined,
  clients: readonly Pick<ClientYaml, "id" | "limits">[],
): LimitRules {
  const { global, per_tool, per_client } = limits ?? {};
  const own = clients.flatMap(({ id, limits: its }) => (its === undefined ? [] : [[id, its] as const]));
  return {
    ...(global === undefined ? {} : { global: toLimits(global) }),
    perTool: byName(Object.entries(per_tool ?? {})),
    ...(per_client === undefined ? {} : { perClient: toLimits(per_client) }),
    clients: byName(own),
  };
}

function byName(entries: readonly (readonly [name: string, keys: LimitKeys])[]) {
  return new Map(entries.map(([name, keys]) => [name, toLimits(keys)]));
}
