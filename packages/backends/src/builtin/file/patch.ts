import { flagArgument, textArgument } from "../arguments.ts";
import { type BuiltinTool, BuiltinToolError, builtinTool } from "../tool.ts";
import { fileError, shown } from "./file-errors.ts";
import { readText, writeText } from "./text-file.ts";
import type { Editing } from "./write-file.ts";

export function patchTool({ confinement, locks, maxBytes }: Editing): BuiltinTool {
  return builtinTool({
    name: "patch",
    title: "Change a part of a file",
    description:
      "Replaces old_text by new_text in a text file. old_text must be copied exactly, with its spaces and line " +
      "breaks, and must occur exactly once: take in enough lines around the change to make it unique, or set " +
      "replace_all. Nothing is changed when it does not fit.",
    backend: "file",
    capabilities: ["file_write"],
    annotations: { readOnly: false, idempotent: false, destructive: true, openWorld: false },
    input: {
      properties: {
        path: { type: "string", minLength: 1, description: "Path of the file, relative to the root folder" },
        old_text: { type: "string", minLength: 1, description: "The text to replace, exactly as it is in the file" },
        new_text: { type: "string", description: "The text to put in its place; empty to delete" },
        replace_all: { type: "boolean", default: false, description: "Replace every occurrence" },
      },
      required: ["path", "old_text", "new_text"],
    },
    output: {
      properties: {
        path: { type: "string" },
        replacements: { type: "integer" },
        line: { type: "integer", description: "Line of the first change" },
      },
      required: ["path", "replacements", "line"],
    },
    timeoutMs: 10_000,
    async run(args, { signal }) {
      const path = textArgument(args, "path");
      const change = {
        path,
        oldText: textArgument(args, "old_text"),
        newText: textArgument(args, "new_text"),
        all: flagArgument(args, "replace_all"),
      };
      const real = await confinement.existing(path);
      return locks.with(real, async () => {
        const text = await readText({ path, real }, maxBytes, signal);
        const { changed, count, line } = apply(text, change);
        const bytes = Buffer.byteLength(changed);
        if (bytes > maxBytes) {
          throw fileError("TOO_LARGE", path, `it would have ${bytes} bytes, and at most ${maxBytes} can be written`);
        }
        await writeText({ path, real }, changed, signal);
        return { path, replacements: count, line };
      });
    },
  });
}

interface Change {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

function apply(text: string, { path, oldText, newText, all }: Change) {
  if (oldText === "") throw refusal("NO_MATCH", "old_text is empty");
  if (oldText === newText) throw refusal("NO_CHANGE", "old_text and new_text are the same");
  const pieces = text.split(oldText);
  const count = pieces.length - 1;
  if (count === 0) throw refusal("NO_MATCH", `old_text does not occur in ${shown(path)}${hint(text, oldText)}`);
  if (count > 1 && !all) {
    throw refusal(
      "AMBIGUOUS",
      `old_text occurs ${count} times in ${shown(path)}; take in more lines around it, or set replace_all`,
    );
  }
  const line = (pieces[0] as string).split("\n").length;
  return { changed: pieces.join(newText), count, line };
}

function hint(text: string, oldText: string): string {
  if (text.includes("\r\n") && text.replaceAll("\r\n", "\n").includes(oldText)) {
    return ". The file has Windows line breaks (\\r\\n): write them in old_text and new_text";
  }
  const loose = (part: string) => part.replace(/\s+/g, " ");
  if (loose(text).includes(loose(oldText))) return ". It occurs with other spaces or line breaks: copy it exactly";
  return ". Read the file again: it may have changed";
}

function refusal(code: string, words: string): BuiltinToolError {
  return new BuiltinToolError(code, `Nothing was changed: ${words}.`);
}
