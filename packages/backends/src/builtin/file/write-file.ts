import { textArgument } from "../arguments.ts";
import { type BuiltinTool, builtinTool } from "../tool.ts";
import type { Confinement } from "./confine.ts";
import { fileError } from "./file-errors.ts";
import type { PathLocks } from "./path-locks.ts";
import { writeText } from "./text-file.ts";

export interface Editing {
  readonly confinement: Confinement;
  readonly locks: PathLocks;
  /** Of a file, before and after. */
  readonly maxBytes: number;
}

export function writeFileTool({ confinement, locks, maxBytes }: Editing): BuiltinTool {
  return builtinTool({
    name: "write_file",
    title: "Write a file",
    description:
      "Writes a text file: makes it, with the folders on the way, or replaces its whole content. " +
      "To change a part of a file, use patch instead.",
    backend: "file",
    capabilities: ["file_write"],
    annotations: { readOnly: false, idempotent: true, destructive: true, openWorld: false },
    input: {
      properties: {
        path: { type: "string", minLength: 1, description: "Path of the file, relative to the root folder" },
        content: { type: "string", description: "The whole new content" },
      },
      required: ["path", "content"],
    },
    output: {
      properties: {
        path: { type: "string" },
        bytes: { type: "integer", description: "Size of the file now" },
        created: { type: "boolean", description: "Whether there was no such file before" },
      },
      required: ["path", "bytes", "created"],
    },
    timeoutMs: 10_000,
    async run(args, { signal }) {
      const path = textArgument(args, "path");
      const content = textArgument(args, "content");
      const bytes = Buffer.byteLength(content);
      if (bytes > maxBytes) {
        throw fileError("TOO_LARGE", path, `the content has ${bytes} bytes, and at most ${maxBytes} can be written`);
      }
      const { real, exists } = await confinement.writable(path);
      await locks.with(real, () => writeText({ path, real }, content, signal));
      return { path, bytes, created: !exists };
    },
  });
}
