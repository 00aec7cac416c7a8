import { performance } from "node:perf_hooks";
import type { JsonObject, JsonValue } from "@toolgate/core";
import { integerArgument, textArgument } from "../arguments.ts";
import { type BuiltinRun, BuiltinToolError, type BuiltinToolset, builtinTool } from "../tool.ts";
import { DocsIndex, type Hit } from "./docs-index.ts";
import { snippetOf } from "./snippet.ts";

export interface DocsOptions {
  /** The folder whose documents are searched. Unset: there is no docs_search, and the handler `search` says why. */
  readonly root?: string;
  /** At most this many documents; 5,000 where unsaid. */
  readonly maxFiles?: number;
  /** Larger documents are left out; 1 MiB where unsaid. */
  readonly maxFileBytes?: number;
  /** How long the folder is not looked at again, in milliseconds; 3,000 where unsaid. */
  readonly refreshMs?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

/** Endings of documents, with the dot. */
const EXTENSIONS = [".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc"];
const MiB = 1024 * 1024;
/** Of all documents together; in memory they take about ten times that. */
const MAX_TOTAL_BYTES = 16 * MiB;
const RESULTS = { fallback: 5, min: 1, max: 50 };
const LONGEST_QUERY = 1_000;

/** The toolset `docs`: docs_search, and the handler `search` for tools that files declare. */
export function createDocsTools(options: DocsOptions): BuiltinToolset {
  const { root } = options;
  if (root === undefined) return { toolset: "docs", tools: [], handlers: { search: noFolder } };
  const index = new DocsIndex({
    root,
    limits: {
      extensions: EXTENSIONS,
      maxFiles: options.maxFiles ?? 5_000,
      maxFileBytes: options.maxFileBytes ?? MiB,
      maxTotalBytes: MAX_TOTAL_BYTES,
    },
    refreshMs: options.refreshMs ?? 3_000,
    now: options.now ?? (() => performance.now()),
  });
  const run: BuiltinRun = (args, { signal }) => search(index, args, signal);
  return { toolset: "docs", tools: [docsSearchTool(run)], handlers: { search: run } };
}

const noFolder: BuiltinRun = async () => {
  throw new BuiltinToolError(
    "NO_FOLDER",
    "There is nothing to search: no folder of documents is configured. An operator has to name one.",
  );
};

function docsSearchTool(run: BuiltinRun) {
  return builtinTool({
    name: "docs_search",
    title: "Search the documents",
    description:
      "Full-text search over the text and Markdown documents of this gateway. Give the words that the answer would " +
      "contain, in the language of the documents. Returns the best sections with file, heading, line and a snippet.",
    backend: "docs",
    capabilities: ["search"],
    annotations: { readOnly: true, idempotent: true, destructive: false, openWorld: false },
    input: {
      properties: {
        query: { type: "string", minLength: 1, maxLength: LONGEST_QUERY, description: "Words to look for" },
        max_results: { type: "integer", minimum: RESULTS.min, maximum: RESULTS.max, default: RESULTS.fallback },
      },
      required: ["query"],
    },
    output: OUTPUT,
    timeoutMs: 30_000,
    run,
  });
}

const OUTPUT: JsonObject = {
  properties: {
    query: { type: "string" },
    results: {
      type: "array",
      items: {
        type: "object",
        properties: {
          title: { type: "string" },
          url: { type: "string" },
          path: { type: "string" },
          heading: { type: "string", description: "The headings above the text, outermost first" },
          line: { type: "integer" },
          snippet: { type: "string" },
          score: { type: "number" },
        },
        required: ["title", "url", "path", "heading", "line", "snippet", "score"],
      },
    },
    total: { type: "integer", description: "Sections that fit, also beyond max_results" },
    indexed_files: { type: "integer" },
    skipped_files: { type: "integer", description: "Documents left out because they are too large or too many" },
  },
  required: ["query", "results", "total", "indexed_files", "skipped_files"],
};

async function search(index: DocsIndex, args: JsonObject, signal: AbortSignal): Promise<JsonValue> {
  const query = textArgument(args, "query").slice(0, LONGEST_QUERY);
  const most = integerArgument(args, "max_results", RESULTS);
  try {
    await index.refresh();
  } catch (cause) {
    throw new BuiltinToolError("NO_FOLDER", "The folder of documents cannot be read; an operator has to look.", {
      cause,
    });
  }
  signal.throwIfAborted();
  const { hits, total } = index.find(query, most);
  const { files, skipped } = index.state;
  return {
    query,
    results: hits.map(resultOf),
    total,
    indexed_files: files,
    skipped_files: skipped,
  };
}

function resultOf({ path, title, section, score, terms }: Hit): JsonObject {
  const snippet = snippetOf(section.text, terms);
  const line = section.line + snippet.lineOffset;
  return {
    title,
    url: `${path.split("/").map(encodeURIComponent).join("/")}#L${line}`,
    path,
    heading: section.headings.join(" > "),
    line,
    snippet: snippet.text,
    score: Math.round(score * 100) / 100,
  };
}
