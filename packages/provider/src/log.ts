/** What a log must offer; a pino logger does. `fields` may hold an `error`. */
export interface ProviderLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A line for each message on stderr, with the whole of an error below it. */
export const stderrLog: ProviderLog = {
  info: (fields, message) => console.error(line("info", fields, message)),
  warn: (fields, message) => console.error(line("warn", fields, message)),
  error: (fields, message) => console.error(line("error", fields, message)),
};

function line(level: string, fields: object, message: string): string {
  const { error, ...others } = fields as { error?: unknown };
  const shown = Object.entries(others).map(([name, value]) => ` ${name}=${String(value)}`);
  const cause =
    error === undefined ? "" : `\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return `toolgate provider ${level}: ${message}${shown.join("")}${cause}`;
}

/** The same log, with fields that every message gets. */
export function logWith(log: ProviderLog, always: object): ProviderLog {
  return {
    info: (fields, message) => log.info({ ...always, ...fields }, message),
    warn: (fields, message) => log.warn({ ...always, ...fields }, message),
    error: (fields, message) => log.error({ ...always, ...fields }, message),
  };
}

/**
 * Calls what the tool's owner handed in. What it throws goes to the log and no
 * further: a slip in a callback must not end a registration.
 */
export function callBack(log: ProviderLog, name: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    log.error({ error }, `${name} threw`);
  }
}
