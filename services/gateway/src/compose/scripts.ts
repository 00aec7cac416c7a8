import { createScriptRunner, type OpenScriptRunner } from "@toolgate/scripts";
import type { Logger } from "pino";

/** The runner of tool owners' scripts. Nothing is started before the first of them is read. */
export function createScripts(log?: Pick<Logger, "error">): OpenScriptRunner {
  return createScriptRunner({ onError: (error) => log?.error({ error }, "a script could not be run") });
}
