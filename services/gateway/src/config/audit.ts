import { resolve } from "node:path";
import { byteSize, duration, formatDuration } from "@toolgate/documents";
import { z } from "zod";
import { DEFAULT_AUDIT, type GatewayConfig } from "./config.ts";

const MIB = 1024 * 1024;

export const auditSchema = z.strictObject({
  enabled: z.boolean().optional().describe("`false` writes nothing down. Default: true."),
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      "File of JSON lines, relative to this file; older ones are beside it with a number. One gateway a file. Unset: only the newest 1000 entries are kept, in memory, until the gateway stops.",
    ),
  arguments: z
    .enum(["digest", "redacted", "none"])
    .optional()
    .describe(
      "What is kept of arguments: their SHA-256; that and the arguments without what looks like a secret; nothing. Default: digest.",
    ),
  max_file_bytes: byteSize({ min: 64 * 1024 })
    .optional()
    .describe(`A file that would grow larger is put aside. Default: ${DEFAULT_AUDIT.maxFileBytes / MIB}MiB.`),
  max_files: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`Files that are kept, the newest included; the oldest goes first. Default: ${DEFAULT_AUDIT.maxFiles}.`),
  max_age: duration({ minMs: 3_600_000 })
    .optional()
    .describe(
      `Files whose newest entry is older are deleted, within a day. At least ${formatDuration(3_600_000)}. Unset: none for its age.`,
    ),
});

/** The settings as they hold; nothing where the log is switched off. */
export function completeAudit(yaml: z.output<typeof auditSchema> = {}, folder: string): Pick<GatewayConfig, "audit"> {
  if (yaml.enabled === false) return {};
  const { file, max_file_bytes, max_files, max_age } = yaml;
  return {
    audit: {
      arguments: yaml.arguments ?? DEFAULT_AUDIT.arguments,
      maxFileBytes: max_file_bytes ?? DEFAULT_AUDIT.maxFileBytes,
      maxFiles: max_files ?? DEFAULT_AUDIT.maxFiles,
      ...(file === undefined ? {} : { file: resolve(folder, file) }),
      ...(max_age === undefined ? {} : { maxAgeMs: max_age }),
    },
  };
}
