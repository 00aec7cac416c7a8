import type { z } from "zod";
import { type CheckOptions, checkValue } from "./check-value.ts";
import type { DocumentProblem } from "./problem.ts";
import { type OpenOptions, openDocument, type SourceDocument } from "./source-document.ts";

export type ReadOptions = OpenOptions & Pick<CheckOptions, "references">;

export type ReadResult<T> =
  | { readonly ok: true; readonly value: T; readonly positionOf: SourceDocument["positionOf"] }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

/**
 * Reads a YAML or JSON document and checks it by a schema. `file` is the label
 * that problems carry; one that ends in ".json" may use tabs. Faults in the
 * form give one problem, faults by the schema one each, all with their place.
 */
export function readDocument<S extends z.ZodType>(
  text: string,
  file: string,
  schema: S,
  options: ReadOptions = {},
): ReadResult<z.output<S>> {
  const opened = openDocument(text, file, options);
  if (!opened.ok) return opened;
  const checked = checkValue(opened.document, schema, options);
  if (!checked.ok) return checked;
  return { ok: true, value: checked.value, positionOf: opened.document.positionOf };
}
