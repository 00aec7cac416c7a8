import type { JsonValue } from "@toolgate/core";
import { type Document, LineCounter, parseDocument, visit, type YAMLError } from "yaml";
import { withoutByteOrderMark } from "./decode-text.ts";
import { NodeTree, type Path } from "./node-tree.ts";
import { type DocumentProblem, type Position, sortProblems } from "./problem.ts";
import { explainFault } from "./yaml-faults.ts";

/** A document that is well formed; nothing has checked what it says. */
export interface SourceDocument {
  readonly file: string;
  readonly value: JsonValue;
  /** Where the value at `path` starts (or its key); the nearest thing above it where there is none. */
  positionOf(path: Path, part?: "key" | "value"): Position;
  problemAt(path: Path, message: string, part?: "key" | "value"): DocumentProblem;
}

export interface OpenOptions {
  /** In characters; {@link MAX_DOCUMENT_LENGTH} where unset. */
  readonly maxLength?: number;
  /** What a document without content means; refused where unset. */
  readonly emptyAs?: JsonValue;
}

export type Opened =
  | { readonly ok: true; readonly document: SourceDocument }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

export const MAX_DOCUMENT_LENGTH = 1024 * 1024;

/** Control characters that YAML 1.2 (5.1) does not allow in a stream. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * Reads YAML 1.2, of which JSON is a part. One document a file; no tags, no
 * directives but `%YAML 1.2`, no merge keys; every key once. A text with a
 * fault in its form gives exactly one problem: what follows a fault is noise.
 */
export function openDocument(given: string, file: string, options: OpenOptions = {}): Opened {
  const text = withoutByteOrderMark(given);
  const refused = refuseText(text, file, options.maxLength ?? MAX_DOCUMENT_LENGTH);
  if (refused !== undefined) return { ok: false, problems: [refused] };
  const lines = new LineCounter();
  // Tabs between the tokens of JSON are legal, and never occur inside them. YAML is stricter about them.
  const source = file.endsWith(".json") ? text.replaceAll("\t", " ") : text;
  const parsed = parse(source, lines);
  const problemOf = ({ offset, message }: { offset: number; message: string }) => {
    return { file, ...positionIn(lines, offset), message };
  };
  const fault = firstFault(parsed, source);
  if (fault !== undefined) return { ok: false, problems: [problemOf(fault)] };
  return contents(parsed, source, { file, lines, options, problemOf });
}

interface Reading {
  readonly file: string;
  readonly lines: LineCounter;
  readonly options: OpenOptions;
  readonly problemOf: (fault: { offset: number; message: string }) => DocumentProblem;
}

function contents(parsed: Document.Parsed, source: string, reading: Reading): Opened {
  const { file, lines, options, problemOf } = reading;
  const tree = new NodeTree(parsed, source);
  const { value, faults } = tree.toJson();
  if (faults.length > 0) return { ok: false, problems: sortProblems(faults.map(problemOf)) };
  const isEmpty = value === null;
  if (isEmpty && options.emptyAs === undefined) {
    const what = source.trim() === "" ? "The file is empty." : "The file holds nothing but comments.";
    return { ok: false, problems: [problemOf({ offset: 0, message: what })] };
  }
  const positionOf = (path: Path, part: "key" | "value" = "value") => positionIn(lines, tree.offsetOf(path, part));
  return {
    ok: true,
    document: {
      file,
      value: isEmpty ? (options.emptyAs as JsonValue) : value,
      positionOf,
      problemAt: (path, message, part) => ({ file, ...positionOf(path, part), message }),
    },
  };
}

function parse(source: string, lineCounter: LineCounter): Document.Parsed {
  return parseDocument(source, {
    version: "1.2",
    schema: "core",
    resolveKnownTags: false,
    intAsBigInt: true,
    prettyErrors: false,
    // "silent" would also hide a second document.
    logLevel: "error",
    // The parser compares every key with every other; NodeTree finds the same in one pass.
    uniqueKeys: false,
    lineCounter,
  });
}

function firstFault(parsed: Document.Parsed, source: string): { offset: number; message: string } | undefined {
  const faults: readonly YAMLError[] = [...parsed.errors, ...parsed.warnings];
  const [first] = [...faults].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return { offset: startOfFault(first, parsed), message: explainFault(first, source) };
  const { explicit, version } = parsed.directives.yaml;
  if (explicit === true && version !== "1.2") {
    return { offset: 0, message: `Only YAML 1.2 is read, not ${version}: remove the %YAML line.` };
  }
  return undefined;
}

/** A missing quote is noticed at the end of the text; its reader looks for the beginning. */
function startOfFault(fault: YAMLError, parsed: Document.Parsed): number {
  let start = fault.pos[0];
  if (!fault.message.startsWith("Missing closing")) return start;
  visit(parsed, {
    Scalar: (_key, { type, range }) => {
      if (type?.startsWith("QUOTE") === true && range?.[1] === fault.pos[0]) start = range[0];
    },
  });
  return start;
}

function refuseText(text: string, file: string, maxLength: number): DocumentProblem | undefined {
  if (text.length > maxLength) {
    const message = `The file is ${text.length} characters long; at most ${maxLength} are read.`;
    return { file, line: 1, column: 1, message };
  }
  const match = FORBIDDEN.exec(text);
  if (match === null) return undefined;
  const lines = text.slice(0, match.index).split("\n");
  const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const message = `The control character U+${code} is not allowed in a document.`;
  return { file, line: lines.length, column: (lines.at(-1) as string).length + 1, message };
}

function positionIn(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
