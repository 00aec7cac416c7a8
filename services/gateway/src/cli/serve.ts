import { type Logger, pino } from "pino";
import { startGateway } from "../compose/gateway.ts";
import { loadConfig } from "../config/load-config.ts";
import { refuseUnsafe } from "../config/refuse-unsafe.ts";
import { createLog } from "../telemetry/log.ts";
import { banner } from "./banner.ts";
import { EXIT } from "./exit-codes.ts";

/** After a stop, the process has nothing left to do; it takes no more than some milliseconds to find that out. */
const HANGING_MS = 1_000;

/**
 * Runs a gateway until SIGTERM or SIGINT; answers the exit code. Where it
 * refuses to start, it says why on stderr.
 *
 * @param file path of gateway.yaml; unset: environment and defaults only
 */
export async function runServe(file: string | undefined): Promise<number> {
  const loaded = loadConfig(file, process.env);
  if (!loaded.ok) return refuse(loaded.problems);
  const { config, warnings } = loaded;
  const unsafe = refuseUnsafe(config);
  if (unsafe !== undefined) return refuse([unsafe]);
  const log = createLog(config.logLevel, pino.destination({ dest: 2, sync: true }));
  for (const warning of warnings) log.warn(warning);
  const stopped = signalled(["SIGTERM", "SIGINT"]);
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  try {
    gateway = await startGateway(config, log);
  } catch (error) {
    return refuse([(error as Error).message]);
  }
  process.on("SIGHUP", () => void gateway.reload());
  await gateway.settled();
  process.stdout.write(banner(gateway));
  log.info({ signal: await stopped }, "stopping");
  await gateway.stop();
  endWhateverHangs(log);
  return EXIT.ok;
}

/** A file system that hangs keeps a process from ending, also by `process.exit`: nothing but this signal ends it then. */
function endWhateverHangs(log: Logger): void {
  const end = () => {
    log.error("something still hangs after the stop, such as the file system; the process ends itself");
    process.kill(process.pid, "SIGKILL");
  };
  setTimeout(end, HANGING_MS).unref();
}

function refuse(problems: readonly string[]): number {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stderr.write("Toolgate did not start.\n");
  return EXIT.usage;
}

function signalled(signals: readonly NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve(signal));
  });
}
