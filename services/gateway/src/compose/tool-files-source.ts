import type { ScriptRunner } from "@toolgate/core";
import type { Registrar } from "@toolgate/registrar";
import { ToolFilesSource, watchFolder } from "@toolgate/registrar/tool-files";
import type { Logger } from "pino";
import type { GatewayConfig } from "../config/config.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import type { Problem, ReloadOutcome } from "../transport/handlers/admin.ts";
import type { MissingTools } from "../transport/handlers/list-tools.ts";
import { toolKinds } from "./backends.ts";
import { systemClock as clock } from "./system-clock.ts";
import { ToolFiles } from "./tool-files.ts";

export interface OpenToolFiles {
  readonly reload: () => Promise<ReloadOutcome>;
  readonly problems: () => readonly Problem[];
  readonly missing: () => readonly MissingTools[];
}

export interface OpenToolFilesPorts {
  readonly config: GatewayConfig;
  readonly registrar: Registrar;
  readonly scripts: Pick<ScriptRunner, "check">;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
}

const NOTHING: ReloadOutcome = { added: [], changed: [], removed: [], problems: [] };

/** Loads the configured folder of tool files and follows its changes; without one there is nothing to do. */
export async function openToolFiles(ports: OpenToolFilesPorts): Promise<OpenToolFiles> {
  const { config, registrar, scripts, lifecycle, log } = ports;
  const { toolsDir: dir, toolsets } = config;
  if (dir === undefined) return { reload: async () => NOTHING, problems: () => [], missing: () => [] };
  const source = new ToolFilesSource({ dir, kinds: toolKinds(), env: process.env, checkScript: scripts.check });
  const files = new ToolFiles({ registrar, source, toolsets, now: clock.now, log });
  await files.reload();
  const follow = async () => {
    const { added, changed, removed } = await files.reload();
    if (added.length + changed.length + removed.length > 0)
      log.info({ added, changed, removed }, "tool files were reloaded");
  };
  lifecycle.onStop(
    "tool files",
    100,
    watchFolder(dir, () => void follow()),
  );
  return { reload: files.reload, problems: () => files.problems, missing: () => files.missing };
}
