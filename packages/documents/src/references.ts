import type { z } from "zod";
import type { Path } from "./node-tree.ts";
import { innerSchemas, isSecret } from "./schema-parts.ts";

/** Where `${NAME}` and `file:` references get their values. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of the file that a `file:` reference names, as it is written there. Throws where it cannot be read. */
  readonly readFile: (path: string) => string;
}

export interface ReferenceProblem {
  readonly path: Path;
  readonly message: string;
}

export interface Resolved {
  /** A copy where something was replaced; never to be printed. */
  readonly value: unknown;
  readonly problems: readonly ReferenceProblem[];
}

/** A secret longer than this is taken for the wrong file. */
export const MAX_SECRET_LENGTH = 64 * 1024;
const FILE = "file:";
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const DOLLAR_OR_REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

/**
 * Replaces references in the texts that `schema` marks with
 * `.meta({ secret: true })`, on the text or on what holds it, and in no other: `${NAME}` anywhere in a text
 * (`$${` is a literal `${`), or the whole text as `file:PATH`, without the
 * line end that files close with. Problems name the variable or file as it is
 * written, never a value.
 */
export function resolveReferences(value: unknown, schema: z.ZodType, sources: ReferenceSources): Resolved {
  const problems: ReferenceProblem[] = [];
  const replace = (text: string, path: Path) => {
    const result = expand(text, sources);
    if ("text" in result) return result.text;
    problems.push({ path, message: result.problem });
    return text;
  };
  return { value: walk(value, { schemas: [schema], isMarked: false }, [], replace), problems };
}

type Replace = (text: string, path: Path) => string;

interface Place {
  /** Several where the value may fit several: a mark in one of them counts. */
  readonly schemas: readonly z.core.$ZodType[];
  /** By something around it. */
  readonly isMarked: boolean;
}

function walk(value: unknown, { schemas, isMarked: marked }: Place, path: Path, replace: Replace): unknown {
  const isMarked = marked || schemas.some(isSecret);
  if (typeof value === "string") return isMarked ? replace(value, path) : value;
  if (typeof value !== "object" || value === null) return value;
  const walkPart = (part: unknown, key: string | number) => {
    const inner = schemas.flatMap((schema) => innerSchemas(schema, key));
    return walk(part, { schemas: inner, isMarked }, [...path, key], replace);
  };
  if (Array.isArray(value)) {
    const items = value.map(walkPart);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value).map(([key, part]) => ({ key, part, walked: walkPart(part, key) }));
  if (entries.every(({ part, walked }) => walked === part)) return value;
  return Object.fromEntries(entries.map(({ key, walked }) => [key, walked]));
}

type Expanded = { readonly text: string } | { readonly problem: string };

function expand(text: string, sources: ReferenceSources): Expanded {
  return text.startsWith(FILE) ? readSecret(text.slice(FILE.length), sources) : expandVariables(text, sources.env);
}

function readSecret(path: string, { readFile }: ReferenceSources): Expanded {
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    return { problem: `The file of the reference ${JSON.stringify(FILE + path)} ${whyUnreadable(error)}.` };
  }
  const text = content.replace(/[\r\n]+$/, "");
  if (text === "") return { problem: `The file of the reference ${JSON.stringify(FILE + path)} is empty.` };
  if (text.length > MAX_SECRET_LENGTH) {
    const limit = `${MAX_SECRET_LENGTH / 1024} Ki`;
    return { problem: `The file of the reference ${JSON.stringify(FILE + path)} holds more than ${limit} characters.` };
  }
  return { text };
}

function whyUnreadable(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by the gateway";
  if (code === "EISDIR") return "is a folder";
  return "cannot be read";
}

function expandVariables(text: string, env: ReferenceSources["env"]): Expanded {
  let problem: string | undefined;
  const expanded = text.replace(DOLLAR_OR_REFERENCE, (whole, name: string | undefined, end: string) => {
    if (name === undefined) return "${";
    const value = NAME.test(name) && end === "}" && Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && value !== "") return value;
    problem ??= whyUnresolved(name, end, value);
    return whole;
  });
  return problem === undefined ? { text: expanded } : { problem };
}

function whyUnresolved(name: string, end: string, value: string | undefined): string {
  // What stands here in place of a name may be a secret, so it is not shown.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that people write
  if (end === "" || !NAME.test(name)) return "A reference must be of the form ${NAME}. Write $${ for a literal ${.";
  return `The environment variable ${name} is ${value === undefined ? "not set" : "empty"}.`;
}
