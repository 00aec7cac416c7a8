import type { JsonObject } from "@toolgate/core";
import { integerArgument, textArgument } from "../arguments.ts";
import { type BuiltinTool, builtinTool } from "../tool.ts";
import type { Confinement } from "./confine.ts";
import { readText } from "./text-file.ts";

const DEFAULT_LINES = 2_000;
const MAX_LINES = 20_000;
/** About what a model can take in; the rest is read with `offset`. */
const MAX_RETURNED_CHARACTERS = 256 * 1024;
const LAST_LINE = 2 ** 31 - 1;

export function readFileTool(confinement: Confinement, maxBytes: number): BuiltinTool {
  return builtinTool({
    name: "read_file",
    title: "Read a file",
    description:
      "Reads a text file and returns its content with line numbers of the part that was read. " +
      `Reads up to ${DEFAULT_LINES} lines from the start; use offset and limit to read another part. ` +
      "If truncated is true, call again with offset = end_line + 1. Binary files are refused.",
    backend: "file",
    capabilities: ["file_read"],
    annotations: { readOnly: true, idempotent: true, destructive: false, openWorld: false },
    input: {
      properties: {
        path: { type: "string", minLength: 1, description: "Path of the file, relative to the root folder" },
        offset: { type: "integer", minimum: 1, default: 1, description: "First line to return; lines count from 1" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LINES,
          default: DEFAULT_LINES,
          description: "Most lines to return",
        },
      },
      required: ["path"],
    },
    output: {
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        start_line: { type: "integer" },
        end_line: { type: "integer" },
        total_lines: { type: "integer" },
        truncated: { type: "boolean", description: "Whether the file goes on after end_line" },
      },
      required: ["path", "content", "start_line", "end_line", "total_lines", "truncated"],
    },
    timeoutMs: 10_000,
    async run(args, { signal }) {
      const path = textArgument(args, "path");
      const offset = integerArgument(args, "offset", { fallback: 1, min: 1, max: LAST_LINE });
      const limit = integerArgument(args, "limit", { fallback: DEFAULT_LINES, min: 1, max: MAX_LINES });
      const real = await confinement.existing(path);
      const text = await readText({ path, real }, maxBytes, signal);
      return { path, ...excerpt(text, offset, limit) };
    },
  });
}

/** The lines from `offset` on, unchanged, at most `limit` of them and at most {@link MAX_RETURNED_CHARACTERS}. */
export function excerpt(text: string, offset: number, limit: number): JsonObject {
  const { total, starts } = scanLines(text, offset, limit);
  const [from] = starts;
  if (from === undefined || offset > total) {
    return { content: "", start_line: offset, end_line: offset - 1, total_lines: total, truncated: false };
  }
  const ends = [...starts.slice(1), ...(offset - 1 + limit >= total ? [text.length] : [])];
  const fitting = ends.findLastIndex((end) => end - from <= MAX_RETURNED_CHARACTERS);
  // A single line may be too long on its own: then its beginning is returned.
  const end = ends[fitting] ?? from + MAX_RETURNED_CHARACTERS;
  return {
    content: text.slice(from, end).toWellFormed(),
    start_line: offset,
    end_line: offset + Math.max(0, fitting),
    total_lines: total,
    truncated: end < text.length,
  };
}

/**
 * Counts the lines, and tells where those from `offset` on begin: `limit` of
 * them and the one after. A line break at the end of the text begins no line.
 */
function scanLines(text: string, offset: number, limit: number): { total: number; starts: number[] } {
  const starts: number[] = [];
  let total = 0;
  for (let at = 0; at < text.length; ) {
    total += 1;
    if (total >= offset && total <= offset + limit) starts.push(at);
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end + 1;
  }
  return { total, starts };
}
