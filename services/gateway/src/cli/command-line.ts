import { CommanderError } from "commander";
import { EXIT, exitCodeOf, UsageError } from "./exit-codes.ts";
import { expandJsonFlag } from "./json-flag.ts";
import { buildProgram } from "./program.ts";
import { shown, type Terminal } from "./terminal.ts";

/** Runs one command line, without the program's own name; answers the exit code. Never rejects. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = buildProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(expandJsonFlag(args), { from: "user" });
    return exitCode;
  } catch (error) {
    return await explain(error, terminal);
  }
}

async function explain(error: unknown, { err }: Terminal): Promise<number> {
  // Commander has already written its own words; its 1 means bad usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    err.write(`${shown(error.message, err)}\n`);
    return EXIT.usage;
  }
  const { ToolgateClientError } = await import("@toolgate/client");
  if (error instanceof ToolgateClientError) {
    const cancelled = error.code === "CANCELLED";
    err.write(
      `${err.style("red", cancelled ? "Cancelled." : error.code)}${cancelled ? "" : ` ${shown(error.message, err)}`}\n`,
    );
    return exitCodeOf(error.code);
  }
  err.write(`${err.style("red", "Toolgate failed:")} ${error instanceof Error ? error.stack : String(error)}\n`);
  return EXIT.failed;
}
