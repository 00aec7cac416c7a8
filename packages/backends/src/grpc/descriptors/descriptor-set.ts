import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type Linked, linkFiles } from "./link-files.ts";

/** Sets beyond this are refused: they would slow down the start, and the registry would hold them. */
export const MAX_SET_BYTES = 4 * 1024 * 1024;
/** Tools of one service share a set, so that a few are enough. */
const REMEMBERED = 32;

const remembered = new Map<string, Linked>();

/** Reads the base64 text of a serialized google.protobuf.FileDescriptorSet. Never throws. */
export function readDescriptorSet(base64: string): Linked {
  const known = remembered.get(base64);
  if (known !== undefined) return known;
  const linked = link(Buffer.from(base64, "base64"));
  remembered.set(base64, linked);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return linked;
}

function link(bytes: Buffer): Linked {
  if (bytes.length > MAX_SET_BYTES) return { ok: false, why: `it is larger than ${MAX_SET_BYTES} bytes` };
  try {
    const { file } = fromBinary(FileDescriptorSetSchema, bytes);
    return file.length === 0 ? { ok: false, why: "it holds no file" } : linkFiles(file);
  } catch {
    return { ok: false, why: "it is no google.protobuf.FileDescriptorSet" };
  }
}
