import type { DocumentProblem } from "./problem.ts";

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: DocumentProblem };

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT = "\uFFFD";
const REPLACEMENT_BYTES = 3;

/** The text of a file that must be UTF-8, or where it is not. A byte order mark is dropped. */
export function decodeText(bytes: Uint8Array, file: string): Decoded {
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) {
    return refuse(file, "", "The file is UTF-16. Save it as UTF-8.");
  }
  try {
    return { ok: true, text: withoutByteOrderMark(UTF8.decode(bytes)) };
  } catch {
    return refuse(file, textBeforeFault(bytes), "The file is not UTF-8 from here on. Save it as UTF-8.");
  }
}

export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/** A replacement character may be real: only one that the bytes do not hold marks the fault. */
function textBeforeFault(bytes: Uint8Array): string {
  const text = LENIENT.decode(bytes);
  const encoder = new TextEncoder();
  let from = 0;
  let offset = 0;
  for (;;) {
    const at = text.indexOf(REPLACEMENT, from);
    if (at < 0) return text;
    offset += encoder.encode(text.slice(from, at)).length;
    if (!startsWith(bytes.subarray(offset), [0xef, 0xbf, 0xbd])) return text.slice(0, at);
    offset += REPLACEMENT_BYTES;
    from = at + 1;
  }
}

function refuse(file: string, before: string, message: string): Decoded {
  const lines = withoutByteOrderMark(before).split("\n");
  const column = (lines.at(-1) as string).length + 1;
  return { ok: false, problem: { file, line: lines.length, column, message } };
}
