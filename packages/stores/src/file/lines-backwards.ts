import type { FileHandle } from "node:fs/promises";

const BLOCK_BYTES = 64 * 1024;
/** No line of ours is longer; the rest of a longer one is passed over. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_BREAK = 0x0a;

export interface PlacedLine {
  readonly text: string;
  /** Where it starts in the file, in bytes. */
  readonly start: number;
  /** Bytes, with the line break. */
  readonly length: number;
}

/** The lines of a file before `end`, last one first, a block at a time. `end` is where a line ends. */
export async function* linesBackwards(file: FileHandle, end: number): AsyncGenerator<PlacedLine, void, undefined> {
  /** What was read of the line that starts further to the front; ends with its line break. */
  let tail: Buffer = Buffer.alloc(0);
  for (let position = end; position > 0; ) {
    const start = Math.max(0, position - BLOCK_BYTES);
    const block = Buffer.alloc(position - start);
    const { bytesRead } = await file.read(block, 0, block.length, start);
    // Shorter than it was: not ours to explain.
    if (bytesRead < block.length) return;
    let text = tail.length === 0 ? block : Buffer.concat([block, tail]);
    // The last byte is the line break of the last line itself.
    for (let at = lineStart(text); at > 0; at = lineStart(text)) {
      yield { text: text.toString("utf8", at), start: start + at, length: text.length - at };
      text = text.subarray(0, at);
    }
    tail = text.length > MAX_LINE_BYTES ? Buffer.of(LINE_BREAK) : text;
    position = start;
  }
  if (tail.length > 0) yield { text: tail.toString("utf8"), start: 0, length: tail.length };
}

/** Where the last line starts; 0 where its start may be further to the front. */
function lineStart(text: Buffer): number {
  return text.length < 2 ? 0 : text.lastIndexOf(LINE_BREAK, text.length - 2) + 1;
}
