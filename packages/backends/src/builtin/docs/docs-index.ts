import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import MiniSearch, { type SearchResult } from "minisearch";
import { type FoundFile, type Scan, type ScanLimits, scanFolder } from "./scan.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { isUnspaced, tokenize } from "./tokenize.ts";

/** A section that was found. */
export interface Hit {
  readonly path: string;
  readonly title: string;
  readonly section: Section;
  readonly score: number;
  /** Terms of the section that fit the query. */
  readonly terms: readonly string[];
}

export interface IndexState {
  readonly files: number;
  readonly skipped: number;
}

interface IndexedSection {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

interface IndexedFile {
  readonly stamp: string;
  readonly title: string;
  readonly sections: readonly Section[];
  readonly ids: readonly string[];
}

export interface DocsIndexOptions {
  readonly root: string;
  readonly limits: ScanLimits;
  /** Milliseconds for which the folder is not looked at again. */
  readonly refreshMs: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** The text of a folder, kept ready for searching; made at first use and brought up to date by what changed. */
export class DocsIndex {
  readonly #options: DocsIndexOptions;
  readonly #search = newSearch();
  readonly #files = new Map<string, IndexedFile>();
  #state: IndexState = { files: 0, skipped: 0 };
  #refreshing: Promise<void> | undefined;
  #refreshedAt: number | undefined;

  constructor(options: DocsIndexOptions) {
    this.#options = options;
  }

  get state(): IndexState {
    return this.#state;
  }

  /** Waits until the index is as the folder was at most `refreshMs` ago. Those who wait share one look. */
  refresh(): Promise<void> {
    const { refreshMs, now } = this.#options;
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#refreshedAt !== undefined && now() - this.#refreshedAt < refreshMs) return Promise.resolve();
    this.#refreshing = this.#update().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The sections that fit best, best first, and how many fit at all. */
  find(query: string, most: number): { readonly hits: readonly Hit[]; readonly total: number } {
    const results = this.#resultsFor(query, most);
    const hits = results.slice(0, most).flatMap(({ id, score, terms }) => {
      const hit = this.#hitOf(String(id));
      return hit === undefined ? [] : [{ ...hit, score, terms }];
    });
    return { hits, total: results.length };
  }

  /** Terms as they are; else those that begin so; else near spellings. Each step is dearer, and noisier. */
  #resultsFor(query: string, most: number): SearchResult[] {
    const exact = this.#search.search(query);
    if (exact.length >= most) return exact;
    const begun = this.#search.search(query, { prefix: mayGoOn });
    return begun.length > 0 ? begun : this.#search.search(query, { prefix: mayGoOn, fuzzy: nearSpelling });
  }

  #hitOf(id: string): Pick<Hit, "path" | "title" | "section"> | undefined {
    const cut = id.lastIndexOf("#");
    const path = id.slice(0, cut);
    const file = this.#files.get(path);
    const section = file?.sections[Number(id.slice(cut + 1))];
    return file === undefined || section === undefined ? undefined : { path, title: file.title, section };
  }

  async #update(): Promise<void> {
    const scan = await scanFolder(this.#options.root, this.#options.limits);
    this.#forgetMissing(scan);
    for (const file of scan.files) {
      if (this.#files.get(file.path)?.stamp === file.stamp) continue;
      await this.#index(file);
    }
    this.#state = { files: this.#files.size, skipped: scan.skipped };
    this.#refreshedAt = this.#options.now();
  }

  #forgetMissing(scan: Scan): void {
    const there = new Set(scan.files.map(({ path }) => path));
    for (const path of this.#files.keys()) if (!there.has(path)) this.#forget(path);
  }

  #forget(path: string): void {
    for (const id of this.#files.get(path)?.ids ?? []) this.#search.discard(id);
    this.#files.delete(path);
  }

  async #index(file: FoundFile): Promise<void> {
    const bytes = await readFile(join(this.#options.root, file.path)).catch(() => undefined);
    this.#forget(file.path);
    if (bytes === undefined) return;
    const text = isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8").replace(/^\ufeff/, "") : "";
    const { title, sections } = sectionsOf(text, basename(file.path));
    const ids = sections.map((_, index) => `${file.path}#${index}`);
    this.#files.set(file.path, { stamp: file.stamp, title, sections, ids });
    await this.#addAll(file.path, ids);
  }

  /** Adds the sections of a file piece by piece: the calls of other tools get their turn in between. */
  async #addAll(path: string, ids: readonly string[]): Promise<void> {
    const { title, sections } = this.#files.get(path) as IndexedFile;
    let added = 0;
    for (const [index, { headings, text }] of sections.entries()) {
      this.#search.add({ id: ids[index] as string, path, title, heading: headings.join(" "), text });
      added += text.length;
      if (added < CHARACTERS_A_TURN) continue;
      added = 0;
      await turn();
    }
    await turn();
  }
}

/** Some milliseconds of work. */
const CHARACTERS_A_TURN = 16 * 1024;

function newSearch(): MiniSearch<IndexedSection> {
  return new MiniSearch<IndexedSection>({
    fields: ["title", "heading", "text", "path"],
    tokenize,
    // The tokenizer has done it: a term that is processed again could be another.
    processTerm: (term) => term,
    searchOptions: {
      boost: { title: 2, heading: 3, path: 1.5 },
      weights: { fuzzy: 0.2, prefix: 0.5 },
    },
  });
}

/** A single character of a script without spaces stands for the words that begin with it. */
function mayGoOn(term: string): boolean {
  return isUnspaced(term) ? [...term].length === 1 : term.length >= 4;
}

/** The share of a term's letters that may be wrong. */
function nearSpelling(term: string): number | boolean {
  return term.length >= 5 && !isUnspaced(term) ? 0.2 : false;
}
