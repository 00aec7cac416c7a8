import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { type GrpcChannel, NO_METADATA, type UnaryEnd } from "../../grpc-channel/index.ts";
import { KNOWN_FILES } from "./known-files.ts";
import { type Linked, linkFiles } from "./link-files.ts";
import { decodeAnswer, encodeQuery, type ReflectionQuery } from "./reflection-messages.ts";

/** What asking a server for the descriptors of a service came to. */
export type Reflected =
  | { readonly kind: "linked"; readonly linked: Linked }
  /** The server has no reflection. */
  | { readonly kind: "not-offered" }
  /** It has reflection and does not know the service. */
  | { readonly kind: "unknown"; readonly message: string }
  /** No connection, no answer, or none that makes sense. */
  | { readonly kind: "failed"; readonly end: Exclude<UnaryEnd, { kind: "answered" }> };

const VERSIONS = ["v1", "v1alpha"] as const;
const TIMEOUT_MS = 5_000;
/** Bounds of what is fetched, so that a server cannot send files without end. */
const MAX_FILES = 1_000;

/**
 * Asks a server for the files of a service, with all that they import. Every
 * question is a stream of one request and one answer, which is on the wire
 * what a unary call is.
 */
export async function reflect(channel: GrpcChannel, service: string): Promise<Reflected> {
  for (const version of VERSIONS) {
    const reflected = await new Questions(channel, version).filesOf(service);
    if (reflected.kind !== "not-offered") return reflected;
  }
  return { kind: "not-offered" };
}

class Questions {
  readonly #channel: GrpcChannel;
  readonly #path: string;
  readonly #files = new Map<string, FileDescriptorProto>();
  readonly #asked = new Set<string>();

  constructor(channel: GrpcChannel, version: (typeof VERSIONS)[number]) {
    this.#channel = channel;
    this.#path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  }

  async filesOf(service: string): Promise<Reflected> {
    const failure = await this.#ask({ symbol: service });
    if (failure !== undefined) return failure;
    for (let missing = this.#missing(); missing !== undefined; missing = this.#missing()) {
      this.#asked.add(missing);
      const failed = await this.#ask({ file: missing });
      // A file that the server does not have may be one of those that everybody has.
      if (failed !== undefined && failed.kind !== "unknown") return failed;
    }
    return { kind: "linked", linked: linkFiles([...this.#files.values()]) };
  }

  #missing(): string | undefined {
    if (this.#files.size >= MAX_FILES) return undefined;
    for (const { dependency } of this.#files.values()) {
      const name = dependency.find(
        (file) => !this.#files.has(file) && !this.#asked.has(file) && !KNOWN_FILES.has(file),
      );
      if (name !== undefined) return name;
    }
    return undefined;
  }

  /** Keeps the files of the answer; tells what went wrong. */
  async #ask(query: ReflectionQuery): Promise<Reflected | undefined> {
    const end = await this.#channel.call({
      path: this.#path,
      message: encodeQuery(query),
      metadata: NO_METADATA,
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    });
    if (end.kind === "status" && end.status.name === "UNIMPLEMENTED") return { kind: "not-offered" };
    if (end.kind === "not-grpc" && end.name === "UNIMPLEMENTED") return { kind: "not-offered" };
    if (end.kind !== "answered") return { kind: "failed", end };
    try {
      const answer = decodeAnswer(end.message);
      if (!answer.ok) return { kind: "unknown", message: answer.message };
      for (const file of answer.files) this.#files.set(file.name, file);
      return undefined;
    } catch (error) {
      return { kind: "failed", end: { kind: "lost", words: "sent descriptors that cannot be read", cause: error } };
    }
  }
}
