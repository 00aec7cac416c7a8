import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { jsonNameOf } from "./json-name.ts";

export interface Declared {
  readonly kind: "message" | "enum";
  /** The file that declares it, as it is imported. */
  readonly file: string;
}

/** The types of all files by their full names, and how a name in a proto file finds its type. */
export class ProtoNames {
  readonly #types = new Map<string, Declared>();

  add(fullName: string, declared: Declared): void {
    this.#types.set(fullName, declared);
  }

  addFile({ name: file, package: scope, messageType, enumType }: FileDescriptorProto): void {
    const prefix = scope === "" ? "" : `${scope}.`;
    for (const { name } of messageType) this.add(`${prefix}${name}`, { kind: "message", file });
    for (const { name } of enumType) this.add(`${prefix}${name}`, { kind: "enum", file });
  }

  /** Innermost scope first, as the language says; a leading dot means the full name. */
  resolve(name: string, scope: string): (Declared & { readonly fullName: string }) | undefined {
    if (name.startsWith(".")) return this.#find(name.slice(1));
    const parts = scope === "" ? [] : scope.split(".");
    for (let depth = parts.length; depth >= 0; depth -= 1) {
      const found = this.#find([...parts.slice(0, depth), name].join("."));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #find(fullName: string): (Declared & { readonly fullName: string }) | undefined {
    const declared = this.#types.get(fullName);
    return declared === undefined ? undefined : { ...declared, fullName };
  }
}

/** Without the leading dot that protobufjs writes. */
export function fullNameOf({ fullName }: { readonly fullName: string }): string {
  return fullName.replace(/^\./, "");
}

/** The name of the message that stands for the entries of a map field. */
export function entryNameOf(field: string): string {
  const camel = jsonNameOf(field);
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}
