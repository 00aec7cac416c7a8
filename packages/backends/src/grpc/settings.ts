import { type DefinitionProblem, settingsPath } from "@toolgate/core";
import { z } from "zod";
import { isMetadataValue, problemOfAddress } from "../grpc-channel/index.ts";
import { splitMethod } from "./descriptors/method.ts";

/** They belong to the protocol or to the connection: nobody sets them. */
const RESERVED = /^(grpc-.*|:.*|te|content-type|user-agent|host|connection|traceparent|tracestate)$/;
const KEY = /^[0-9a-z_.-]+$/;

function problemOfKey(key: string): string | undefined {
  if (!KEY.test(key)) return `"${key.slice(0, 64)}" is not a metadata key: use a-z, 0-9, "_", "." and "-"`;
  return RESERVED.test(key) ? `"${key}" belongs to the protocol and cannot be set` : undefined;
}

function problemOfEntry(key: string, value: string): string | undefined {
  const problem = problemOfKey(key);
  if (problem !== undefined) return problem;
  if (key.endsWith("-bin")) {
    return /^[A-Za-z0-9+/]*={0,2}$/.test(value) ? undefined : `the value of "${key}" must be base64`;
  }
  return isMetadataValue(value) ? undefined : `the value of "${key}" holds a character that metadata cannot hold`;
}

/** Never repeats a value: it may be a secret. */
const metadata = z.record(z.string(), z.string()).superRefine((entries, context) => {
  for (const [key, value] of Object.entries(entries)) {
    const message = problemOfEntry(key, value);
    if (message !== undefined) context.addIssue({ code: "custom", path: [key], message });
  }
});

/** The keys that a tool file and {@link grpcSettings} share. */
export const callKeys = {
  target: z
    .string()
    .superRefine((text, context) => {
      // A file is also checked where its references lead nowhere; the definition holds what they lead to.
      const problem = text.includes("${") ? undefined : problemOfAddress(text);
      if (problem !== undefined)
        context.addIssue({ code: "custom", message: `The target cannot be used: ${problem}.` });
    })
    .describe('"host:port" of the service'),
  method: z
    .string()
    .refine((text) => splitMethod(text) !== undefined, 'Expected "package.Service/Method".')
    .describe('The full name of the method: "package.Service/Method"'),
  tls: z.boolean().default(false).describe("Whether the service speaks TLS"),
  metadata: metadata.default({}).describe("Metadata of every call; values of keys that end in -bin are base64"),
  idempotency_metadata: z
    .string()
    .superRefine((key, context) => {
      const problem = key.endsWith("-bin") ? "a key that ends in -bin cannot carry it" : problemOfKey(key);
      if (problem !== undefined) context.addIssue({ code: "custom", message: `Not possible: ${problem}.` });
    })
    .optional()
    .describe("The metadata key that carries the caller's idempotency key"),
  emit_defaults: z.boolean().default(false).describe("Whether fields with their default value are in the result"),
};

/** What `backend.settings` of a grpc tool may say. */
export const grpcSettings = z.strictObject({
  ...callKeys,
  descriptor_set: z
    .string()
    .optional()
    .describe("A google.protobuf.FileDescriptorSet in base64; the service's reflection is asked where unset"),
});

export type GrpcSettings = z.infer<typeof grpcSettings>;

/** Reads settings, or says what is wrong with them. */
export function readSettings(settings: unknown): GrpcSettings | readonly DefinitionProblem[] {
  const read = grpcSettings.safeParse(settings);
  if (read.success) return read.data;
  return read.error.issues.map((issue) => ({ path: settingsPath(...issue.path), message: issue.message }));
}
