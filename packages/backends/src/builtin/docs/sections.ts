/** A part of a document, small enough to be found by itself. */
export interface Section {
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Of its first line; lines count from 1. */
  readonly line: number;
}

export interface DocumentParts {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** Longer parts are cut, so that a line number leads close to what was found. */
const LONGEST_SECTION_LINES = 80;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Cuts a text by its Markdown headings (CommonMark, ATX: `## Heading`), not
 * counting those in code blocks, and long parts by lines.
 *
 * @param fallbackTitle for a text without a heading of the first level.
 */
export function sectionsOf(text: string, fallbackTitle: string): DocumentParts {
  const lines = text.split(/\r\n|\r|\n/);
  const cutter = new Cutter();
  for (const [index, line] of lines.entries()) cutter.take(line, index + 1);
  cutter.end();
  return { title: cutter.title ?? fallbackTitle, sections: cutter.sections };
}

class Cutter {
  readonly sections: Section[] = [];
  title: string | undefined;
  #headings: { readonly level: number; readonly text: string }[] = [];
  #lines: string[] = [];
  #firstLine = 1;
  #fence: string | undefined;

  take(line: string, number: number): void {
    const heading = this.#headingIn(line);
    if (heading !== undefined) {
      this.end();
      this.#headings = [...this.#headings.filter(({ level }) => level < heading.level), heading];
      if (heading.level === 1) this.title ??= heading.text;
    } else if (this.#lines.length >= LONGEST_SECTION_LINES) {
      this.end();
    }
    if (this.#lines.length === 0) this.#firstLine = number;
    this.#lines.push(line);
  }

  end(): void {
    const text = this.#lines.join("\n");
    this.#lines = [];
    if (text.trim() === "") return;
    this.sections.push({ headings: this.#headings.map((heading) => heading.text), text, line: this.#firstLine });
  }

  #headingIn(line: string): { level: number; text: string } | undefined {
    const fence = FENCE.exec(line)?.[1];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence)) this.#fence = undefined;
      return undefined;
    }
    if (fence !== undefined) {
      this.#fence = fence;
      return undefined;
    }
    const heading = HEADING.exec(line);
    const text = heading?.[2]?.trim() ?? "";
    return heading === null || text === "" ? undefined : { level: (heading[1] as string).length, text };
  }
}
