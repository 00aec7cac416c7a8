import { byteSize, duration, legalName } from "@toolgate/documents";
import { checkSchema } from "@toolgate/registrar/tool-files";
import { z } from "zod";
import { address } from "./address.ts";
import { allowedHost } from "./allowed-host.ts";
import { auditSchema } from "./audit.ts";
import { clients } from "./clients-schema.ts";
import { MAX_DRAIN_MS } from "./config.ts";
import { rateLimitsSchema } from "./limits.ts";
import { loopGuardSchema } from "./loop-guard.ts";

const toolset = z.strictObject({
  aliases: z.array(legalName()).optional().describe("Other names by which callers may ask for it."),
  check: checkSchema.optional().describe("Is the toolset alive: `http: URL`, `tcp: host:port` or `env: NAME`."),
});

const cacheRule = z.strictObject({ tool: legalName(), ttl: duration({ minMs: 0 }), shared: z.boolean().optional() });

/** Two rules for one tool: which of them counts would be a guess. */
function eachToolOnce(rules: readonly { readonly tool: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [place, { tool }] of rules.entries()) {
    if (seen.has(tool))
      context.addIssue({
        code: "custom",
        path: [place, "tool"],
        message: `The tool ${JSON.stringify(tool)} has a rule already.`,
      });
    seen.add(tool);
  }
}

/** `gateway.yaml`. Every key is described; `docs/configuration.md` is checked against this. */
export const gatewaySchema = z.strictObject({
  listen: z
    .strictObject({
      grpc: address.optional().describe("Where the gRPC door listens. Default: 127.0.0.1:50051."),
      http: address.optional().describe("Where the HTTP/JSON door listens. Default: 127.0.0.1:9000."),
      admin: address.optional().describe("Where /metrics, /healthz and /readyz are. Default: 127.0.0.1:9464."),
    })
    .optional()
    .describe("Addresses, as `host:port` or a port on loopback."),
  tools_dir: z.string().min(1).optional().describe("Folder of tool files, relative to this file. Unset: none."),
  builtin: z
    .strictObject({
      files: z
        .string()
        .min(1)
        .optional()
        .describe("Root folder of the `file` toolset. Unset: there is no such toolset."),
      docs: z.string().min(1).optional().describe("Folder that `docs_search` looks in. Unset: there is no such tool."),
    })
    .optional()
    .describe("Tools inside the gateway's own process."),
  toolsets: z
    .record(legalName(), toolset)
    .optional()
    .describe("Aliases and checks of the toolsets that tool files fill."),
  clients: clients.optional().describe("Who may call. Unset: everyone on this machine, and nobody else."),
  registration: z
    .strictObject({
      allowed_hosts: z
        .array(allowedHost)
        .optional()
        .describe(
          "Names, addresses and ranges that registered tools may point at. Default: localhost, 127.0.0.1, ::1.",
        ),
    })
    .optional()
    .describe("Rules for tools that register themselves."),
  allowed_origins: z
    .array(z.url({ error: 'Expected an origin such as "https://console.example"' }))
    .optional()
    .describe(
      "Origins of web pages that may use the HTTP door. On loopback, pages from this machine may, too. Default: none.",
    ),
  max_message_bytes: byteSize({ min: 1024, max: 64 * 1024 * 1024 })
    .optional()
    .describe("Largest request, through every door. Default: 4MiB."),
  drain: duration({ maxMs: MAX_DRAIN_MS })
    .optional()
    .describe("How long calls in flight may take to end at a stop. Default and most: 8s."),
  audit: auditSchema.optional().describe("What is written down of every call, and of what operators do."),
  loop_guard: loopGuardSchema.optional().describe("Stops agents that go round in circles: calls with a `session_id`."),
  log_level: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .optional()
    .describe("How much is logged, as JSON lines on stderr. Default: info."),
  store: z.enum(["memory"]).optional().describe("Where state lives. Default and only choice: memory, in this process."),
  rate_limits: rateLimitsSchema
    .optional()
    .describe("How often tools may be called, and how many calls may run at once."),
  cache: z
    .strictObject({
      enabled: z.boolean().optional(),
      default_ttl: duration().optional(),
      rules: z.array(cacheRule).superRefine(eachToolOnce).optional(),
      max_bytes: byteSize({ min: 64 * 1024, max: 16 * 1024 ** 3 }).optional(),
    })
    .optional()
    .describe(
      "The result cache. `default_ttl` is for tools that say they are read-only or idempotent; a rule is for one tool, " +
        "also where the tool says neither, and `ttl: 0s` keeps it out. `shared: true` lets one caller have what another " +
        "was answered; where unsaid, only if neither callers nor credentials reach the backend. Errors are never kept. " +
        "`max_bytes` bounds the whole. Default: on for tools with a `cache` of their own, 64MiB.",
    ),
  pipelines: z
    .array(
      z.strictObject({
        name: legalName(),
        steps: z
          .array(
            z.strictObject({
              tool: legalName(),
              params: z.record(z.string(), z.unknown()).optional(),
              output: z.string(),
            }),
          )
          .min(1),
        output: z.string(),
      }),
    )
    .optional()
    .describe("Recipes of several tools. Read and checked; not in force in this version, and said so at start."),
});

export type GatewayYaml = z.output<typeof gatewaySchema>;

/** Keys that are read but do nothing yet: whoever sets one is told. */
export const NOT_IN_FORCE = ["pipelines"] as const satisfies readonly (keyof GatewayYaml)[];
