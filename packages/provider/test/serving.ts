import { createServer } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { defineTool, type Provider, type ProviderLog, type ServeOptions, serve, type Tool } from "../src/index.ts";

/** Enough for a busy machine; a condition that holds is seen within milliseconds. */
const WAIT = { timeout: 15_000, interval: 5 };

/** Waits until an expectation holds: `await eventually(() => count()).toBe(3)`. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, WAIT);
}

/** Waits until a block of expectations holds. */
export function holds(block: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(block, WAIT);
}

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that keeps what it is told. */
export function recordingLog(): ProviderLog & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: LogEntry["level"]) => (fields: object, message: string) => {
    entries.push({ level, message, fields: fields as Record<string, unknown> });
  };
  return { entries, info: at("info"), warn: at("warn"), error: at("error") };
}

/** A tool that answers with its arguments. */
export function echo(name = "echo"): Tool {
  return defineTool({ name, description: "Answers", schema: z.looseObject({}), handler: (args) => args });
}

/** Serves, and stops when the test is over. */
export async function serving(options: Partial<ServeOptions> & Pick<ServeOptions, "gateway">): Promise<Provider> {
  const { log = recordingLog(), tools = [echo()], ...rest } = options;
  const provider = await serve({ toolset: "test", handleSignals: false, graceMs: 1_000, ...rest, tools, log });
  onTestFinished(() => provider.stop());
  return provider;
}

/** A port on which nothing listens, at least just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
