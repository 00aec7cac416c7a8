import { propertyClass } from "./unicode-property.ts";

/** RE2 repeats a thing at most this often; what asks for more is written out. */
const RE2_MAX_REPEAT = 1_000;
/** States of the automaton, about. Matching takes time in proportion to it. */
export const MAX_WEIGHT = 10_000;

/** ECMA-262's white space and line terminators; RE2's `\s` knows only those of ASCII. */
const SPACE =
  "\\t\\n\\x{B}\\f\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
/** Escapes that RE2 reads in another way, outside of a class and inside. */
const ESCAPES: Readonly<Record<string, string | undefined>> = {
  S: `[^${SPACE}]`,
  b: "\\b",
  s: `[${SPACE}]`,
  v: "\\x{B}",
};
const CLASS_ESCAPES: Readonly<Record<string, string | undefined>> = { b: "\\x{8}", s: SPACE, v: "\\x{B}" };
const ANY = "\\x{0}-\\x{10FFFF}";
const NOT_LINE_END = "[^\\n\\r\\x{2028}\\x{2029}]";

/** A finished part of the translation: an atom with its quantifier, an assertion, or a bar. */
interface Piece {
  readonly text: string;
  readonly weight: number;
}

/**
 * Writes a pattern of ECMA-262 in RE2's syntax, with the same meaning: `\s`
 * and `.` know Unicode, `\uD83D\uDE00` is one character, `[` in a class and a
 * lone `{` are themselves, and repeats beyond RE2's limit are written out.
 *
 * @throws SyntaxError, in words, where it has no such meaning in RE2.
 */
export function toRe2(pattern: string): string {
  return new Translation(pattern).run();
}

class Translation {
  readonly #source: string;
  #at = 0;
  /** One list of pieces for each group that is open, the pattern itself first. */
  readonly #open: { readonly start: string; readonly pieces: Piece[] }[] = [{ start: "", pieces: [] }];

  constructor(source: string) {
    this.#source = source;
  }

  run(): string {
    while (this.#at < this.#source.length) this.#next();
    if (this.#open.length > 1) throw new SyntaxError("a ( is not closed");
    return this.#close().text;
  }

  #next(): void {
    const char = this.#take(1);
    if (char === "\\") this.#atom(this.#escape(false));
    else if (char === "[") this.#atom(this.#class());
    else if (char === ".") this.#atom(NOT_LINE_END);
    else if (char === "(") this.#open.push({ start: this.#groupStart(), pieces: [] });
    else if (char === ")") this.#closeGroup();
    else if (char === "*" || char === "+" || char === "?") this.#repeat(char, 1);
    else if (char === "{") this.#braces();
    else if (char === "]" || char === "}") this.#atom(`\\${char}`);
    else this.#atom(char + this.#lowSurrogate(char));
  }

  #take(count: number): string {
    const text = this.#source.slice(this.#at, this.#at + count);
    this.#at += count;
    return text;
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  /** The second half of a character beyond the basic plane: a quantifier is for the whole. */
  #lowSurrogate(char: string): string {
    return char >= "\ud800" && char <= "\udbff" ? (this.#match(/[\udc00-\udfff]/y)?.[0] ?? "") : "";
  }

  #atom(text: string): void {
    this.#pieces().push({ text, weight: 1 });
  }

  #pieces(): Piece[] {
    return (this.#open.at(-1) as { pieces: Piece[] }).pieces;
  }

  #groupStart(): string {
    const found = this.#match(/\?(?:<[A-Za-z_$][\w$]*>|<?[=!]|[a-z]*(?:-[a-z]*)?[:)])/y)?.[0] ?? "";
    if (found.endsWith(")")) this.#at -= 1;
    return `(${found.endsWith(")") ? found.slice(0, -1) : found}`;
  }

  #closeGroup(): void {
    if (this.#open.length === 1) throw new SyntaxError("a ) has no (");
    const group = this.#close();
    this.#pieces().push({ ...group, text: `${group.text})` });
  }

  #close(): Piece {
    const { start, pieces } = this.#open.pop() as { start: string; pieces: Piece[] };
    const weight = pieces.reduce((sum, piece) => sum + piece.weight, 1);
    if (weight > MAX_WEIGHT) throw new SyntaxError(`it is too large: written out, it has over ${MAX_WEIGHT} parts`);
    return { text: start + pieces.map(({ text }) => text).join(""), weight };
  }

  #repeat(quantifier: string, times: number): void {
    const last = this.#pieces().pop();
    if (last === undefined) throw new SyntaxError(`nothing to repeat before ${quantifier}`);
    const lazy = this.#match(/\?/y)?.[0] ?? "";
    this.#pieces().push({ text: `${last.text}${quantifier}${lazy}`, weight: last.weight * times });
  }

  #braces(): void {
    this.#at -= 1;
    const found = this.#match(/\{(\d+)(,?)(\d*)\}/y);
    if (found === undefined) {
      this.#at += 1;
      this.#atom("\\{");
      return;
    }
    const [text = "", least = "", comma, most = ""] = found;
    const min = Number(least);
    const max = comma === "" ? min : most === "" ? undefined : Number(most);
    const times = Math.max(min, max ?? 0, 1);
    if (times <= RE2_MAX_REPEAT) this.#repeat(text, times);
    else this.#writeOut(text, { min, max, times });
  }

  #writeOut(quantifier: string, { min, max, times }: { min: number; max: number | undefined; times: number }): void {
    const last = this.#pieces().pop();
    if (last === undefined) throw new SyntaxError(`nothing to repeat before ${quantifier}`);
    if (last.weight * times > MAX_WEIGHT) throw new SyntaxError(`it is too large: ${quantifier} repeats too often`);
    const parts: string[] = [];
    for (let left = min; left > 0; left -= RE2_MAX_REPEAT) {
      parts.push(`${last.text}{${Math.min(left, RE2_MAX_REPEAT)}}`);
    }
    if (max === undefined) parts.push(`${last.text}*`);
    for (let left = (max ?? 0) - min; left > 0; left -= RE2_MAX_REPEAT) {
      parts.push(`${last.text}{0,${Math.min(left, RE2_MAX_REPEAT)}}`);
    }
    this.#match(/\?/y);
    this.#pieces().push({ text: `(?:${parts.join("")})`, weight: last.weight * times });
  }

  #class(): string {
    const negated = this.#match(/\^/y) !== undefined;
    let members = "";
    for (let char = this.#take(1); char !== "]"; char = this.#take(1)) {
      if (char === "") throw new SyntaxError("a [ is not closed");
      if (char === "\\") members += this.#escape(true);
      else members += char === "[" || char === "^" ? `\\${char}` : char;
    }
    // RE2 has no empty class: nothing at all, and anything at all.
    if (members === "") return negated ? `[${ANY}]` : `[^${ANY}]`;
    return `[${negated ? "^" : ""}${members}]`;
  }

  /** What follows a backslash. */
  #escape(inClass: boolean): string {
    const char = this.#take(1);
    if (char === "") throw new SyntaxError("it ends with a backslash");
    if ("uxc0".includes(char)) return this.#codePoint(char as "u" | "x" | "c" | "0");
    if (char === "p" || char === "P") return this.#property(char);
    const known = (inClass ? CLASS_ESCAPES : ESCAPES)[char];
    if (known !== undefined) return known;
    if ("dDwWSBnrtf".includes(char)) return `\\${char}`;
    if (/[1-9k]/.test(char)) throw new SyntaxError("back references are not supported");
    if (/[A-Za-z]/.test(char)) throw new SyntaxError(`\\${char} is not an escape of ECMA-262`);
    return `\\x{${(char.codePointAt(0) as number).toString(16)}}`;
  }

  #codePoint(kind: "u" | "x" | "c" | "0"): string {
    if (kind === "0") return "\\x{0}";
    const control = kind === "c" ? this.#match(/[A-Za-z]/y)?.[0] : undefined;
    if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
    const pair = kind === "u" ? this.#match(/([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/y) : undefined;
    if (pair !== undefined) {
      const [high, low] = [pair[1], pair[2]].map((digits) => Number.parseInt(digits as string, 16));
      return `\\x{${String.fromCharCode(high as number, low as number)
        .codePointAt(0)
        ?.toString(16)}}`;
    }
    const form = kind === "u" ? /\{([\dA-Fa-f]{1,6})\}|([\dA-Fa-f]{4})/y : /([\dA-Fa-f]{2})/y;
    const found = this.#match(form);
    if (kind === "c" || found === undefined) throw new SyntaxError(`\\${kind} is not followed by a character code`);
    return `\\x{${found[1] ?? found[2]}}`;
  }

  #property(kind: "p" | "P"): string {
    const name = this.#match(/\{([^}]*)\}/y)?.[1];
    if (name === undefined) throw new SyntaxError(`\\${kind} is not followed by a name in braces`);
    return `\\${kind}{${propertyClass(name)}}`;
  }
}
