const LENGTH = 240;
const BEFORE = 60;

export interface Snippet {
  readonly text: string;
  /** Lines after the section's first. */
  readonly lineOffset: number;
}

/** The piece of a text around the place where the most of the terms stand together. */
export function snippetOf(text: string, terms: readonly string[]): Snippet {
  const at = bestPlace(text.toLowerCase(), terms);
  const start = at <= BEFORE ? 0 : wordStart(text, at - BEFORE);
  const piece = text.slice(start, start + LENGTH).toWellFormed();
  const whole = piece.replaceAll("\ufffd", "").replace(/\s+/g, " ").trim();
  return {
    text: `${start > 0 ? "…" : ""}${whole}${start + LENGTH < text.length ? "…" : ""}`,
    lineOffset: text.slice(0, at).split(/\r\n|\r|\n/).length - 1,
  };
}

function bestPlace(text: string, terms: readonly string[]): number {
  const hits = terms.flatMap((term) => placesOf(text, term)).sort((a, b) => a.at - b.at);
  let best = { at: 0, score: 0 };
  for (const [index, { at }] of hits.entries()) {
    const near = new Set<string>();
    for (let i = index; i < hits.length && (hits[i] as Hit).at < at + LENGTH - BEFORE; i += 1)
      near.add((hits[i] as Hit).term);
    const score = [...near].reduce((sum, term) => sum + term.length, 0);
    if (score > best.score) best = { at, score };
  }
  return best.at;
}

interface Hit {
  readonly at: number;
  readonly term: string;
}

/** Enough to choose from, however often a term occurs. */
const MOST_HITS = 50;

function placesOf(text: string, term: string): Hit[] {
  const hits: Hit[] = [];
  for (let at = text.indexOf(term); at !== -1 && hits.length < MOST_HITS; at = text.indexOf(term, at + term.length)) {
    hits.push({ at, term });
  }
  return hits;
}

/** The next beginning of a word, unless it is far. */
function wordStart(text: string, from: number): number {
  const gap = text.slice(from, from + 20).search(/\s/);
  return gap === -1 ? from : from + gap + 1;
}
