/** A TypeScript type, written out. */
export interface TypeText {
  readonly text: string;
  /** Whether it needs parentheses inside another type. */
  readonly kind: "simple" | "union" | "intersection";
}

export const UNKNOWN: TypeText = { text: "unknown", kind: "simple" };
export const NEVER: TypeText = { text: "never", kind: "simple" };
export const NULL: TypeText = { text: "null", kind: "simple" };

export function simple(text: string): TypeText {
  return { text, kind: "simple" };
}

export function unionOf(types: readonly TypeText[]): TypeText {
  const distinct = byText(types.filter(({ text }) => text !== NEVER.text));
  if (distinct.some(({ text }) => text === UNKNOWN.text)) return UNKNOWN;
  if (distinct.length <= 1) return distinct[0] ?? NEVER;
  const parts = distinct.map((type) => (type.kind === "intersection" ? `(${type.text})` : type.text));
  return { text: parts.join(" | "), kind: "union" };
}

export function intersectionOf(types: readonly TypeText[]): TypeText {
  const distinct = byText(types.filter(({ text }) => text !== UNKNOWN.text));
  if (distinct.length <= 1) return distinct[0] ?? UNKNOWN;
  const parts = distinct.map((type) => (type.kind === "union" ? `(${type.text})` : type.text));
  return { text: parts.join(" & "), kind: "intersection" };
}

/** A string as it stands in source. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A doc comment with its line break; empty where there is nothing to say. */
export function docComment(text: string, indent: string): string {
  const words = text.replaceAll("*/", "*\\/").trim();
  if (words === "") return "";
  const lines = words.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}

function byText(types: readonly TypeText[]): TypeText[] {
  return [...new Map(types.map((type) => [type.text, type])).values()];
}
