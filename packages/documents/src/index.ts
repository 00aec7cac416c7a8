export { type Checked, type CheckOptions, checkValue } from "./check-value.ts";
export { type Decoded, decodeText } from "./decode-text.ts";
export { type ByteSizeBounds, byteSize, parseByteSize } from "./fields/byte-size.ts";
export { type DurationBounds, duration, formatDuration, parseDuration } from "./fields/duration.ts";
export { legalName, secretText } from "./fields/names.ts";
export type { Parsed } from "./fields/parsed.ts";
export { parseRate, rate } from "./fields/rate.ts";
export type { Path } from "./node-tree.ts";
export { type DocumentProblem, formatProblem, type Position, sortProblems } from "./problem.ts";
export { type ReadOptions, type ReadResult, readDocument } from "./read-document.ts";
export { type ReferenceProblem, type ReferenceSources, type Resolved, resolveReferences } from "./references.ts";
export { didYouMean, listed } from "./sentences.ts";
export {
  MAX_DOCUMENT_LENGTH,
  type Opened,
  type OpenOptions,
  openDocument,
  type SourceDocument,
} from "./source-document.ts";
