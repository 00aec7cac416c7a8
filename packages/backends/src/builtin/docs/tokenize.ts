const WORDS = /[\p{L}\p{N}\p{M}_]+/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const HAS_UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** "limits" and "limit" are to find each other. */
const PLURAL = /[^s]{2}[^isu]s$/;
/** Longer "words" are data, such as a hash or an encoded picture. */
const LONGEST_WORD = 64;

let segmenter: Intl.Segmenter | undefined;

/** Made at its first use: it takes a while, and a gateway without documents never needs it. */
function wordSegmenter(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return segmenter;
}

/**
 * The terms of a text, in its order: lower-case words, and plurals also
 * without their "s"; the parts of names such as `createHttpBackend` and
 * `read_file` beside the whole; of scripts without spaces the words that a
 * dictionary finds, and each pair of neighbouring characters, because
 * dictionaries cut new words apart.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.normalize("NFKC").matchAll(WORDS)) {
    if (HAS_UNSPACED.test(word)) addMixed(terms, word);
    else if (word.length <= LONGEST_WORD) addWord(terms, word);
  }
  return terms;
}

/** Whether a term is of a script without spaces: there, a near spelling is another word. */
export function isUnspaced(term: string): boolean {
  return HAS_UNSPACED.test(term);
}

function addMixed(terms: string[], word: string): void {
  let end = 0;
  for (const match of word.matchAll(UNSPACED)) {
    if (match.index > end) addWord(terms, word.slice(end, match.index));
    addUnspaced(terms, match[0]);
    end = match.index + match[0].length;
  }
  if (end < word.length) addWord(terms, word.slice(end));
}

function addUnspaced(terms: string[], run: string): void {
  const found = new Set<string>();
  for (const { segment, isWordLike } of wordSegmenter().segment(run)) if (isWordLike) found.add(segment);
  const characters = [...run];
  for (let i = 0; i + 1 < characters.length; i += 1) found.add(`${characters[i]}${characters[i + 1]}`);
  terms.push(...found);
}

function addWord(terms: string[], word: string): void {
  const whole = word.toLowerCase();
  terms.push(whole);
  if (PLURAL.test(whole)) terms.push(whole.slice(0, -1));
  const parts = word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((part) => part.length > 1);
  if (parts.length > 1) terms.push(...parts.map((part) => part.toLowerCase()));
}
