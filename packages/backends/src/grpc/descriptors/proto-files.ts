import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import protobuf from "protobufjs";
import { KNOWN_FILES } from "./known-files.ts";
import { ProtoFileProblem } from "./proto-file-problem.ts";
import { declarationsByFile, declareTypes, describeFile, type ParsedFile } from "./proto-messages.ts";
import { ProtoNames } from "./proto-names.ts";

/** Bounds of what is read, so that an import in a circle of links or a wrong path ends soon. */
const MAX_FILES = 500;
const MAX_FILE_BYTES = 1024 * 1024;

/** It writes the name that is set here into all that it reads; the package's types leave that out. */
const parser: typeof protobuf.parse & { filename?: string | null } = protobuf.parse;

export interface ProtoFileRequest {
  /** Absolute. */
  readonly file: string;
  /** Where imports are looked for, absolute; the file's own folder where empty. */
  readonly includeDirs: readonly string[];
}

/**
 * Reads a proto file with its imports into a serialized FileDescriptorSet.
 * Imports that are not found are left out: many only define options. A type
 * that is missed then is a problem that names them.
 *
 * @throws ProtoFileProblem in words for whoever wrote the file.
 */
export function readProtoFile({ file, includeDirs }: ProtoFileRequest): Uint8Array {
  const folders = includeDirs.length === 0 ? [dirname(file)] : includeDirs;
  const loading = new Loading(folders);
  loading.load(importName(file, folders), file);
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: loading.described() }));
}

/** The name by which others would import the file. */
function importName(file: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const name = relative(folder, file);
    if (!name.startsWith("..") && !isAbsolute(name)) return name.split(sep).join("/");
  }
  return file.slice(file.lastIndexOf(sep) + 1);
}

class Loading {
  readonly #folders: readonly string[];
  readonly #root = new protobuf.Root();
  readonly #files = new Map<string, ParsedFile>();
  readonly #missing = new Set<string>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  load(name: string, path: string): void {
    const bytes = bytesOf(path);
    if (bytes === undefined) throw new ProtoFileProblem(`${name} is not there or may not be read`);
    this.#add(name, bytes);
  }

  described(): FileDescriptorProto[] {
    const names = new ProtoNames();
    for (const known of KNOWN_FILES.values()) names.addFile(known);
    declareTypes(this.#root, names);
    const missing = [...this.#missing];
    const declared = declarationsByFile(this.#root);
    return [...this.#files.values()].map((file) =>
      describeFile(file, { own: declared.get(file.name) ?? [], names, missing }),
    );
  }

  #add(name: string, bytes: Buffer): void {
    if (bytes.length > MAX_FILE_BYTES) throw new ProtoFileProblem(`${name} is larger than ${MAX_FILE_BYTES} bytes`);
    const parsed = this.#parse(name, bytes.toString("utf8"));
    this.#files.set(name, parsed);
    for (const imported of parsed.imports) this.#import(imported);
  }

  #import(name: string): void {
    if (KNOWN_FILES.has(name) || this.#files.has(name) || this.#missing.has(name)) return;
    if (this.#files.size >= MAX_FILES) throw new ProtoFileProblem(`more than ${MAX_FILES} files are imported`);
    const bytes = this.#find(name);
    if (bytes === undefined) this.#missing.add(name);
    else this.#add(name, bytes);
  }

  #find(name: string): Buffer | undefined {
    for (const folder of this.#folders) {
      const bytes = bytesOf(join(folder, name));
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  #parse(name: string, text: string): ParsedFile {
    const plain = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    if (/^\s*edition\s*=/.test(plain)) {
      throw new ProtoFileProblem(`${name} uses editions, which are read from a descriptor_set_file only`);
    }
    const syntax = /^\s*syntax\s*=\s*["']proto3["']/.test(plain) ? "proto3" : "proto2";
    try {
      parser.filename = name;
      const parsed = parser(text, this.#root, { keepCase: true, alternateCommentMode: true });
      return {
        name,
        syntax,
        package: parsed.package ?? "",
        imports: [...(parsed.imports ?? []), ...(parsed.weakImports ?? [])],
      };
    } catch (error) {
      throw new ProtoFileProblem(
        `${name} cannot be read: ${error instanceof Error ? error.message : "not a proto file"}`,
      );
    } finally {
      parser.filename = null;
    }
  }
}

/** `undefined` where there is no file that may be read. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
