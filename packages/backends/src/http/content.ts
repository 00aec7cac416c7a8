import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";

/** The bytes of an answer and what its headers say about them. */
export interface Content {
  readonly bytes: Buffer;
  /** `content-type`; empty where the answer has none. */
  readonly mediaType: string;
  /** `content-encoding`; empty where the bytes are plain. */
  readonly encoding: string;
}

export type Decompressed = { readonly bytes: Buffer } | { readonly failed: "too-large" | "unknown" | "broken" };

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const INFLATERS: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", inflateEither],
  ["br", promisify(brotliDecompress)],
]);

/** Whether there is something to undo. Compression is never asked for, but some servers compress unasked. */
export function isCompressed(encoding: string): boolean {
  return encoding !== "" && encoding !== "identity";
}

/** Undoes a `content-encoding`; stops at `maxBytes`, so a small answer cannot become a huge one. */
export async function decompress({ bytes, encoding }: Content, maxBytes: number): Promise<Decompressed> {
  const inflater = INFLATERS.get(encoding.toLowerCase());
  if (inflater === undefined) return { failed: "unknown" };
  if (bytes.length === 0) return { bytes };
  try {
    return { bytes: await inflater(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const tooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return { failed: tooLarge ? "too-large" : "broken" };
  }
}

/** "deflate" means zlib's format (RFC 9110, 8.4.1.2), and some servers send the bare one. */
async function inflateEither(bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  const zlibHeader = bytes.length >= 2 && bytes.readUInt16BE(0) % 31 === 0 && ((bytes[0] as number) & 15) === 8;
  return promisify(zlibHeader ? inflate : inflateRaw)(bytes, options);
}

export type Decoded = { readonly text: string; readonly warning?: string } | { readonly binary: true };

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const TEXT_TYPE = /^(text\/|application\/(json|xml|javascript|x-www-form-urlencoded|yaml|x-ndjson)|[^;]+\+(json|xml))/i;

/** The text of an answer: by its charset, UTF-8 where it names none. What is not text is not made to look like it. */
export function decodeText(bytes: Buffer, mediaType: string): Decoded {
  const charset = CHARSET.exec(mediaType)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") return decodeOther(bytes, charset);
  if (isUtf8(bytes)) return { text: withoutMark(bytes.toString("utf8")) };
  if (charset === undefined && !TEXT_TYPE.test(mediaType)) return { binary: true };
  return {
    text: withoutMark(bytes.toString("utf8")),
    warning: "The answer is not valid UTF-8; what could not be read is replaced by U+FFFD.",
  };
}

function decodeOther(bytes: Buffer, charset: string): Decoded {
  try {
    return { text: new TextDecoder(charset).decode(bytes) };
  } catch {
    const warning = "The answer names a charset that is not known; it was read as UTF-8.";
    return { text: withoutMark(bytes.toString("utf8")), warning };
  }
}

/** JSON must not begin with a byte order mark, and some servers send one (RFC 8259, 8.1). */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
