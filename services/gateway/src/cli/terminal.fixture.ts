import type { Screen, Terminal } from "./terminal.ts";

export interface RecordedTerminal extends Terminal {
  /** What was written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Ctrl-C. */
  interrupt(): void;
}

export interface RecordedTerminalOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Both screens are terminals of this width. */
  readonly columns?: number;
}

/** A terminal that remembers. Styles are written as <style>text</style>, on a terminal only. */
export function recordedTerminal({ env = {}, input = "", columns }: RecordedTerminalOptions = {}): RecordedTerminal {
  const written = { out: "", err: "" };
  let interrupt = () => {};
  const screen = (name: "out" | "err"): Screen => ({
    isTerminal: columns !== undefined,
    columns,
    write(text) {
      written[name] += text;
    },
    style: (style, text) => (columns === undefined ? text : `<${style}>${text}</${style}>`),
  });
  return {
    out: screen("out"),
    err: screen("err"),
    env,
    readInput: async () => input,
    onInterrupt(listener) {
      interrupt = listener;
      return () => {
        interrupt = () => {};
      };
    },
    stdout: () => written.out,
    stderr: () => written.err,
    interrupt: () => interrupt(),
  };
}
