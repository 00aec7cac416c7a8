import { create, createFileRegistry, type FileRegistry } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { jsonNameOf } from "./json-name.ts";
import { KNOWN_FILES } from "./known-files.ts";

export type Linked =
  | { readonly ok: true; readonly registry: FileRegistry }
  /** `why` is the end of a sentence. */
  | { readonly ok: false; readonly why: string };

/** Makes types of descriptors, in whatever order they come. */
export function linkFiles(files: readonly FileDescriptorProto[]): Linked {
  const byName = new Map([...KNOWN_FILES, ...files.map((file) => [file.name, file] as const)]);
  const ordered: FileDescriptorProto[] = [];
  const placed = new Set<string>();
  for (const { name } of files) {
    const missing = place(name, { byName, ordered, placed });
    if (missing !== undefined) {
      return { ok: false, why: `${missing} is imported and missing (build the set with its imports)` };
    }
  }
  try {
    for (const { messageType } of files) nameFields(messageType);
    return { ok: true, registry: createFileRegistry(create(FileDescriptorSetSchema, { file: ordered })) };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : "the descriptors do not fit together" };
  }
}

/** Some servers and compilers leave out the JSON names that follow from the others. */
function nameFields(messages: readonly DescriptorProto[]): void {
  for (const { field: fields, nestedType } of messages) {
    for (const field of fields) if (field.jsonName === "") field.jsonName = jsonNameOf(field.name);
    nameFields(nestedType);
  }
}

interface Placing {
  readonly byName: ReadonlyMap<string, FileDescriptorProto>;
  readonly ordered: FileDescriptorProto[];
  readonly placed: Set<string>;
}

/** Puts a file behind all that it imports; tells which import is missing. */
function place(name: string, placing: Placing): string | undefined {
  if (placing.placed.has(name)) return undefined;
  placing.placed.add(name);
  const file = placing.byName.get(name);
  if (file === undefined) return JSON.stringify(name.slice(0, 200));
  for (const dependency of file.dependency) {
    const missing = place(dependency, placing);
    if (missing !== undefined) return missing;
  }
  placing.ordered.push(file);
  return undefined;
}
