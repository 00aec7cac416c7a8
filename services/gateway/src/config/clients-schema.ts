import { legalName } from "@toolgate/documents";
import { limitsSchema } from "@toolgate/registrar/tool-files";
import { z } from "zod";

const KEY_HASH = /^sha256:[0-9a-f]{64}$/;
const PATTERN = /^[A-Za-z0-9_.*-]{1,128}$/;

const keyHash = z.string().regex(KEY_HASH, {
  error: 'Expected "sha256:" and 64 hex digits: the SHA-256 of the key, never the key itself',
});

const pattern = z.string().regex(PATTERN, {
  error: 'Expected a name, in which "*" stands for any run of characters, such as "github_*"',
});

const rule = z
  .strictObject({
    toolset: pattern.optional(),
    tool: pattern.optional(),
    read_only: z.boolean().optional(),
    idempotent: z.boolean().optional(),
    destructive: z.boolean().optional(),
    open_world: z.boolean().optional(),
  })
  .refine((said) => Object.keys(said).length > 0, {
    error: 'A rule that says nothing fits every tool; write tool: "*"',
  });

/** What a client may use; the same keys wherever permission is given. */
export const accessKeys = {
  scopes: z
    .array(legalName())
    .optional()
    .describe("What it may use: tools that name scopes need all of them. Unset means every scope."),
  allow: z
    .array(rule)
    .optional()
    .describe(
      "Only tools that fit one of these rules: `toolset`, `tool` (with `*`), `read_only`, `idempotent`, `destructive`, `open_world`. Unset: any tool.",
    ),
  deny: z.array(rule).optional().describe("Never tools that fit one of these rules, whatever allows them."),
  list: z
    .array(rule)
    .optional()
    .describe("Of what it may call, only tools that fit one of these rules are listed to it. Unset: all."),
  hide_forbidden: z
    .boolean()
    .optional()
    .describe(
      "Whether a call to a tool that it may not use is answered as if there were no such tool. Default: false.",
    ),
};

const client = z.strictObject({
  id: legalName().describe("Who this is: in logs, in metrics of limits, as the owner of what it registers."),
  key_hashes: z
    .array(keyHash)
    .min(1)
    .max(4)
    .describe("SHA-256 of each of its keys, as `sha256:HEX`. Two at a time allow rotation."),
  ...accessKeys,
  admin: z.boolean().optional().describe("Whether it may use the operators' service. Default: false."),
  limits: limitsSchema.optional().describe("Its own limits; key by key, they go before `rate_limits.per_client`."),
});

type Client = z.output<typeof client>;

/** One client is one entry, and one key is one client: else a caller would be whoever stands last. */
function eachOnce(entries: readonly Client[], context: z.RefinementCtx): void {
  const owners = new Map<string, string>();
  const ids = new Set<string>();
  for (const [place, { id, key_hashes }] of entries.entries()) {
    const refuse = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path: [place, ...path], message });
    if (ids.has(id))
      refuse(["id"], `The client ${JSON.stringify(id)} is there twice. Put all its keys into one entry.`);
    ids.add(id);
    for (const [index, hash] of key_hashes.entries()) {
      const owner = owners.get(hash);
      if (owner !== undefined) refuse(["key_hashes", index], `This key is already one of ${JSON.stringify(owner)}.`);
      owners.set(hash, id);
    }
  }
}

export const clients = z.array(client).superRefine(eachOnce);
export type ClientYaml = Client;
