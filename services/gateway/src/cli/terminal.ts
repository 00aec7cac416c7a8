import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "yellow" | "green";

/** Where text goes for the reader: a terminal, a file or a pipe. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Width in columns; unset where there is no terminal. */
  readonly columns: number | undefined;
  write(text: string): void;
  /** The text in a style, where the screen shows styles and the reader wants them (NO_COLOR). */
  style(style: Style, text: string): string;
}

/** Everything that a command may read or write besides the network and files. */
export interface Terminal {
  /** For results, and nothing else. */
  readonly out: Screen;
  /** For messages. */
  readonly err: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readInput(): Promise<string>;
  /** Calls back at Ctrl-C, once; a second Ctrl-C ends the process. Returns how to stop listening. */
  onInterrupt(listener: () => void): () => void;
}

export function systemTerminal(): Terminal {
  // A reader such as `head` may go before the end; that is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  return {
    out: screenOf(process.stdout),
    err: screenOf(process.stderr),
    env: process.env,
    async readInput() {
      const parts: Buffer[] = [];
      for await (const part of process.stdin) parts.push(part as Buffer);
      return Buffer.concat(parts).toString("utf8");
    },
    onInterrupt(listener) {
      process.once("SIGINT", listener);
      return () => process.off("SIGINT", listener);
    },
  };
}

function screenOf(stream: NodeJS.WriteStream): Screen {
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns || undefined,
    write: (text) => void stream.write(text),
    style: (style, text) => styleText(style, text, { stream }),
  };
}

/** Everything that could move the cursor, but line breaks and tabs: C0, DEL and C1, where escape sequences begin. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text from elsewhere as it may be shown: a tool's answer must not steer the reader's terminal. */
export function shown(text: string, screen: Screen): string {
  return screen.isTerminal ? text.replace(CONTROL, "\ufffd") : text;
}
