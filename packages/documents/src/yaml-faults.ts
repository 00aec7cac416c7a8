import type { ErrorCode, YAMLError } from "yaml";

type Explain = (context: FaultContext) => string;

interface FaultContext {
  /** What the parser said. */
  readonly said: string;
  /** The line of the fault from the fault on, without its end. */
  readonly rest: string;
}

const INDENTATION =
  "The indentation of this line does not fit the lines above it. Use the same number of spaces for lines that belong together.";
const NEXT_LINE = "The line after this value is indented, but the value is already complete. Check the next line.";
const TEMPLATE = 'A value with {{…}} in it must be in quotes, such as "{{input.topic}}".';

const SENTENCES: Partial<Record<ErrorCode, Explain>> = {
  TAB_AS_INDENT: () => "A tab is used for indentation here. YAML allows only spaces: replace the tab.",
  BAD_INDENT: ({ said }) =>
    said.startsWith("Flow")
      ? "A list [ … ] or map { … } is not closed, or goes on with too little indentation."
      : INDENTATION,
  BLOCK_AS_IMPLICIT_KEY: ({ said, rest }) => {
    if (!said.startsWith("Nested mappings")) return INDENTATION;
    return /:\s+\S/.test(rest) ? 'A value that holds ": " must be in quotes.' : NEXT_LINE;
  },
  MULTILINE_IMPLICIT_KEY: () => 'Expected "key: value" here.',
  MISSING_CHAR: ({ said }) => missing(said),
  MULTIPLE_DOCS: () => 'The file holds more than one document ("---"). Put each into a file of its own.',
  RESOURCE_EXHAUSTION: () => "The document is nested too deeply.",
  TAG_RESOLVE_FAILED: () => "Tags (words that start with !) are not supported: remove it, or put the value in quotes.",
  BAD_COLLECTION_TYPE: () => "Tags (words that start with !) are not supported here: remove it.",
  BAD_DIRECTIVE: () => "Directives (lines that start with %) are not supported: remove the line.",
  BAD_SCALAR_START: ({ rest }) => `A value that starts with ${JSON.stringify(rest[0] ?? "")} must be in quotes.`,
  BAD_DQ_ESCAPE: ({ said }) =>
    `${said.replace("Invalid escape sequence", "There is no escape")} in double quotes. Write \\\\ for a backslash, or use single quotes.`,
  KEY_OVER_1024_CHARS: () => "A key is longer than 1024 characters.",
  BAD_ALIAS: () => "An anchor (&name) or alias (*name) has no usable name here.",
  BLOCK_IN_FLOW: () => "Inside [ … ] and { … } only the short forms of lists and maps are allowed.",
};

/** One clear sentence for what the parser found; `text` is the whole document. */
export function explainFault(fault: YAMLError, text: string): string {
  const start = fault.pos[0];
  const end = text.indexOf("\n", start);
  const rest = text.slice(start, end < 0 ? undefined : end);
  if (isTemplate(text, start, rest)) return TEMPLATE;
  const explain = SENTENCES[fault.code];
  return explain?.({ said: fault.message, rest }) ?? `This is not YAML: ${lowerFirst(fault.message)}.`;
}

/** Templates hold braces, which YAML reads as maps where there are no quotes. */
function isTemplate(text: string, start: number, rest: string): boolean {
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return /(:|-)\s+\{\{/.test(before + rest);
}

function missing(said: string): string {
  const quote = /closing (['"])quote/.exec(said)?.[1];
  if (quote !== undefined) return `A text in ${quote} quotes is not closed: the closing ${quote} is missing.`;
  if (said.startsWith("Implicit map keys")) return 'Expected "key: value" here: the colon and a space are missing.';
  return `This is not YAML: ${lowerFirst(said)}.`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
