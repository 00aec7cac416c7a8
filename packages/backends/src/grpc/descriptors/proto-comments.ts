import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";

type Location = NonNullable<FileDescriptorProto["sourceCodeInfo"]>["location"][number];

/** The comments of a file at their places, as compilers write them into descriptors. */
export class Comments {
  readonly locations: Pick<Location, "path" | "span" | "leadingComments">[] = [];

  /** @param path field numbers and indexes in descriptor.proto */
  add(path: readonly number[], comment: string | null | undefined): void {
    if (typeof comment !== "string" || comment === "") return;
    this.locations.push({ path: [...path], span: [0, 0, 0], leadingComments: comment });
  }
}
