import type { FileHandle } from "node:fs/promises";
import { type AuditEntry, type AuditPage, type AuditQuery, fitsAuditFilter, readAuditLine } from "@toolgate/core";
import type { AuditFiles } from "./audit-files.ts";
import { linesBackwards, type PlacedLine } from "./lines-backwards.ts";

/** A page looks at most at so many bytes, so that a filter that fits nothing does not keep the process busy. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;
const TOKEN = /^(\d{1,15})-(\d{1,15})$/;

/** Where to go on: in the file with this number, before this byte. */
interface Place {
  readonly number: number;
  readonly end: number;
}

const NEWEST: Place = { number: Number.POSITIVE_INFINITY, end: 0 };

/** Reads one page, newest first. Lines that are no entries are left out: they were cut by a crash, or are not ours. */
export async function readPage(files: AuditFiles, query: AuditQuery): Promise<AuditPage | undefined> {
  const { limit, after, ...filter } = query;
  const from = after === undefined ? NEWEST : placeOf(after, files.newest.number);
  if (from === undefined) return undefined;
  const entries: AuditEntry[] = [];
  let bytes = 0;
  for await (const { text, number, start, length } of linesOf(files, from)) {
    const entry = readAuditLine(text, Date.parse);
    if (entry !== undefined && endedBefore(entry, filter.since)) break;
    if (entry !== undefined && fitsAuditFilter(entry, filter)) {
      if (entries.length === limit) return { entries, next: `${number}-${start + length}` };
      entries.push(entry);
    }
    bytes += length;
    if (bytes >= MAX_PAGE_BYTES) return { entries, next: `${number}-${start}` };
  }
  return { entries };
}

/** The lines of all files, or those before a place in one, newest first. */
async function* linesOf(files: AuditFiles, from: Place): AsyncGenerator<PlacedLine & { number: number }> {
  const numbers = await files.numbers();
  for (const number of numbers.toReversed()) {
    if (number > from.number) continue;
    const file = await files.openToRead(number);
    if (file === undefined) continue;
    try {
      const end = number === from.number ? from.end : await sizeOf(files, number, file);
      for await (const line of linesBackwards(file, end)) yield { ...line, number };
    } finally {
      await file.close();
    }
  }
}

/** Entries stand in the order of their ends: what is older than this one ended, and so began, too early, too. */
function endedBefore({ time, latencyMs }: AuditEntry, since: number | undefined): boolean {
  return since !== undefined && time + latencyMs < since - CLOCK_STEP_MS;
}

/** A clock that is set back puts entries out of order; nobody sets it back by more and expects to find all. */
const CLOCK_STEP_MS = 60_000;

async function sizeOf(files: AuditFiles, number: number, file: FileHandle): Promise<number> {
  const { newest } = files;
  return number === newest.number ? newest.size : (await file.stat()).size;
}

function placeOf(token: string, newest: number): Place | undefined {
  const [, number, end] = TOKEN.exec(token) ?? [];
  const place = { number: Number(number), end: Number(end) };
  return place.number <= newest ? place : undefined;
}
