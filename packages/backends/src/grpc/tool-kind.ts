import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type BackendSpec, type JsonObject, ToolgateError } from "@toolgate/core";
import { z } from "zod";
import { MAX_SET_BYTES } from "./descriptors/descriptor-set.ts";
import { inputSchemaOf } from "./input-schema.ts";
import { methodIn } from "./plan.ts";
import { callKeys, grpcSettings } from "./settings.ts";

/** What a tool file says beside the keys of its kind. */
export interface GrpcKindContext {
  readonly toolName: string;
  /** Makes a path of the file absolute. Unset: paths are relative to the working folder. */
  readonly resolvePath?: (path: string) => string;
}

const paths = z.array(z.string().min(1)).max(32);

const keysOfFile = {
  ...callKeys,
  target: callKeys.target.meta({ secret: true }),
  metadata: callKeys.metadata.meta({ secret: true }),
  descriptor_set_file: z
    .string()
    .min(1)
    .optional()
    .describe("A file with a serialized google.protobuf.FileDescriptorSet, relative to the tool file"),
  proto_file: z.string().min(1).optional().describe("The proto file of the service, relative to the tool file"),
  proto_path: z
    .union([
      z
        .string()
        .min(1)
        .transform((path) => [path]),
      paths,
    ])
    .optional()
    .describe("Folders where imports are looked for; that of the proto file where unsaid"),
  backend: z.string().min(1).optional().describe("Name of the backend; the target where unsaid"),
};

type ReadProtoFile = typeof import("./descriptors/proto-files.ts")["readProtoFile"];
let readProtoFile: ReadProtoFile | undefined;

/**
 * How a tool file describes a method of a gRPC service: by a descriptor set,
 * by a proto file, or by neither, and then the service's reflection is asked
 * at the first call. Descriptors are read when the tool file is, and become
 * part of the definition.
 */
export const grpcToolKind = {
  kind: "grpc",
  shape: keysOfFile,

  /** Loads the reader of proto files where a text names one: most gateways never need it. */
  async prepare(text: string): Promise<void> {
    if (readProtoFile === undefined && text.includes("proto_file")) {
      ({ readProtoFile } = await import("./descriptors/proto-files.ts"));
    }
  },

  /** @throws ToolgateError in words for the writer of the file, where the descriptors cannot be used. */
  toBackend(keys: Record<string, unknown>, context: GrpcKindContext): BackendSpec {
    // With `provider: grpc`, the file's `type` is a label of its own.
    const { backend, type: _label, descriptor_set_file, proto_file, proto_path, ...call } = keys;
    const descriptors = readDescriptors({ descriptor_set_file, proto_file, proto_path } as DescriptorKeys, context);
    const settings = { ...call, ...(descriptors === undefined ? {} : { descriptor_set: descriptors }) };
    const known = Object.entries(settings).filter(([, value]) => value !== undefined);
    return {
      kind: "grpc",
      name: typeof backend === "string" ? backend : String(call.target),
      settings: Object.fromEntries(known) as JsonObject,
    };
  },

  /** The schema of the arguments, for a tool that states none; `undefined` without descriptors. */
  inputSchema({ settings }: BackendSpec): JsonObject | undefined {
    const read = grpcSettings.safeParse(settings);
    const found = read.success ? methodIn(read.data) : undefined;
    return found?.ok === true ? inputSchemaOf(found.method.descriptor) : undefined;
  },
} as const;

interface DescriptorKeys {
  readonly descriptor_set_file?: string;
  readonly proto_file?: string;
  readonly proto_path?: readonly string[];
}

function readDescriptors(keys: DescriptorKeys, { resolvePath = resolve }: GrpcKindContext): string | undefined {
  const { descriptor_set_file: set, proto_file: proto, proto_path: folders = [] } = keys;
  if (set !== undefined && proto !== undefined) {
    throw unusable('"descriptor_set_file" and "proto_file" say the same thing: leave one of them out.');
  }
  if (proto === undefined && folders.length > 0) throw unusable('"proto_path" is of use with "proto_file" only.');
  if (set !== undefined) return readSet(set, resolvePath(set));
  if (proto === undefined) return undefined;
  if (readProtoFile === undefined) throw ToolgateError.from(new Error("grpcToolKind.prepare was not called"));
  try {
    const bytes = readProtoFile({ file: resolvePath(proto), includeDirs: folders.map(resolvePath) });
    return Buffer.from(bytes).toString("base64");
  } catch (error) {
    throw unusable(`"proto_file": ${error instanceof Error ? error.message : "it cannot be read"}.`);
  }
}

function readSet(name: string, path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    throw unusable(`"descriptor_set_file": ${JSON.stringify(name)} is not there or may not be read.`);
  }
  if (bytes.length <= MAX_SET_BYTES) return bytes.toString("base64");
  throw unusable(`"descriptor_set_file": ${JSON.stringify(name)} is larger than ${MAX_SET_BYTES} bytes.`);
}

function unusable(message: string): ToolgateError {
  return new ToolgateError("INVALID_ARGUMENT", message);
}
