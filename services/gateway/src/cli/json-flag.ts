const JSON_TEXT = /^\s*[{[]|^@|^-$/;

/**
 * `--json` alone asks for JSON on stdout. Followed by JSON text, by `@FILE` or
 * by `-`, it also gives the arguments: then it means `--params-json` too.
 */
export function expandJsonFlag(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const flags = end === -1 ? args : args.slice(0, end);
  const expanded: string[] = [];
  for (let i = 0; i < flags.length; i++) {
    const flag = flags[i] as string;
    const inline = flag.startsWith("--json=") ? flag.slice("--json=".length) : undefined;
    const text = inline ?? (flag === "--json" ? flags[i + 1] : undefined);
    if (text === undefined || (inline === undefined && !JSON_TEXT.test(text))) {
      expanded.push(flag);
      continue;
    }
    expanded.push("--json", `--params-json=${text}`);
    if (inline === undefined) i++;
  }
  return [...expanded, ...args.slice(flags.length)];
}
