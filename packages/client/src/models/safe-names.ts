import { digest } from "./digest.ts";

/** What a provider allows as a name. */
export interface NameRule {
  /** One character that is not allowed. */
  readonly illegal: RegExp;
  /** Whether the first character must be a letter or an underscore. */
  readonly letterFirst: boolean;
  readonly maxLength: number;
}

const DIGEST_LENGTH = 8;
/** A name without any letter or digit that is allowed, such as one in Chinese. */
const NAMELESS = "tool";

/**
 * A legal name for each name: unique, the same for the same set whatever its
 * order. A legal name stays as it is. In others, accents are dropped and each
 * run of illegal characters becomes one underscore; where that leaves too
 * much, nothing, or a name that another one has, a digest of the whole name is
 * put behind it.
 */
export function safeNames(names: Iterable<string>, rule: NameRule): Map<string, string> {
  const all = [...new Set(names)].sort();
  const safe = new Map<string, string>();
  const used = new Set<string>();
  const give = (name: string, as: string) => {
    safe.set(name, as);
    used.add(as);
  };
  const isLegal = (name: string) => clean(name, rule) === name && name !== "" && name.length <= rule.maxLength;
  for (const name of all) if (isLegal(name)) give(name, name);
  const wanted = Map.groupBy(
    all.filter((name) => !safe.has(name)),
    (name) => clean(name, rule),
  );
  for (const [short, [name, ...others]] of wanted) {
    const isAlone = others.length === 0 && !used.has(short);
    if (name !== undefined && isAlone && /[A-Za-z0-9]/.test(short) && short.length <= rule.maxLength) give(name, short);
  }
  for (const name of all) if (!safe.has(name)) give(name, withDigest(name, rule, used));
  return safe;
}

function clean(name: string, { illegal, letterFirst }: NameRule): string {
  if (!new RegExp(illegal, "u").test(name) && !(letterFirst && startsWrong(name))) return name;
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "");
  const short = plain.replace(new RegExp(`(?:${illegal.source})+`, "gu"), "_");
  return letterFirst && startsWrong(short) ? `_${short}` : short;
}

function startsWrong(name: string): boolean {
  return !/^[A-Za-z_]/.test(name);
}

function withDigest(name: string, rule: NameRule, used: ReadonlySet<string>): string {
  const short = clean(name, rule);
  const stem = (/[A-Za-z0-9]/.test(short) ? short : NAMELESS).slice(0, rule.maxLength - DIGEST_LENGTH - 1);
  for (let attempt = 0; ; attempt++) {
    const safe = `${stem}_${digest(attempt === 0 ? name : `${name}\n${attempt}`, DIGEST_LENGTH)}`;
    if (!used.has(safe)) return safe;
  }
}
