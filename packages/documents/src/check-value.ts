import type { z } from "zod";
import type { Path } from "./node-tree.ts";
import { type DocumentProblem, sortProblems } from "./problem.ts";
import { type ReferenceSources, resolveReferences } from "./references.ts";
import { nounOf, sentenceFor, subjectOf, withSubject } from "./sentences.ts";
import type { SourceDocument } from "./source-document.ts";

export interface CheckOptions {
  /** The part of the document that the schema is for; the whole where unset. */
  readonly at?: Path;
  /** Where references come from. Unset: fields that may hold references keep them as they are. */
  readonly references?: ReferenceSources;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

type Issue = z.core.$ZodIssue;

/** Checks a document, or a part of it, by a schema: every problem with its place, in order. */
export function checkValue<S extends z.ZodType>(
  document: SourceDocument,
  schema: S,
  options: CheckOptions = {},
): Checked<z.output<S>> {
  const at = options.at ?? [];
  const written = valueAt(document.value, at);
  const resolved =
    options.references === undefined
      ? { value: written, problems: [] }
      : resolveReferences(written, schema, options.references);
  const place = (path: Path, message: string, part?: "key" | "value") => {
    const full = [...at, ...path];
    return document.problemAt(full, withSubject(message, full), part);
  };
  const problems = resolved.problems.map(({ path, message }) => place(path, message));
  const result = schema.safeParse(resolved.value, { error: sentenceFor });
  for (const issue of result.error?.issues ?? []) {
    for (const found of explain(issue, resolved.value)) problems.push(place(found.path, found.message, found.part));
  }
  if (problems.length > 0 || !result.success) return { ok: false, problems: sortProblems(problems) };
  return { ok: true, value: result.data };
}

interface Found {
  readonly path: Path;
  readonly message: string;
  readonly part?: "key" | "value";
}

function explain(issue: Issue, root: unknown): readonly Found[] {
  if (issue.code === "unrecognized_keys") {
    const sentences = issue.message.split("\n");
    return issue.keys.map((key, index) => ({
      path: [...issue.path, key],
      message: sentences[index] ?? issue.message,
      part: "key",
    }));
  }
  if (issue.code === "invalid_key") return [{ path: issue.path, message: issue.message, part: "key" }];
  if (issue.code === "invalid_union") return explainUnion(issue, root);
  return [{ path: issue.path, message: issue.message }];
}

/** The alternative that the writer meant, as far as it shows; else what all of them want. */
function explainUnion(issue: Extract<Issue, { code: "invalid_union" }>, root: unknown): readonly Found[] {
  const alternatives = issue.errors as readonly (readonly Issue[])[];
  const input = valueAt(root, issue.path);
  const meant = alternatives
    .filter((issues) => !issues.some((inner) => isOfAnotherType(inner, input)))
    .sort((a, b) => a.length - b.length)[0];
  if (meant !== undefined && meant.length > 0) {
    return meant.flatMap((inner) => explain({ ...inner, path: [...issue.path, ...inner.path] } as Issue, root));
  }
  const wanted = alternatives.flatMap(([first]) => (first?.code === "invalid_type" ? [nounOf(first.expected)] : []));
  if (wanted.length < alternatives.length || wanted.length === 0) {
    return [{ path: issue.path, message: issue.message }];
  }
  const message = `${subjectOf(issue)} must be ${[...new Set(wanted)].join(" or ")}.`;
  return [{ path: issue.path, message }];
}

function isOfAnotherType(issue: Issue, input: unknown): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === "invalid_value") return typeof issue.values[0] !== typeof input;
  return issue.code === "invalid_type";
}

function valueAt(value: unknown, path: Path): unknown {
  let part = value;
  for (const step of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, step)) return undefined;
    part = (part as Record<PropertyKey, unknown>)[step];
  }
  return part;
}
