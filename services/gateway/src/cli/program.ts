import { Command } from "commander";
import { VERSION } from "../version.ts";
import type { AuditCommandOptions } from "./commands/audit.ts";
import type { CallCommandOptions } from "./commands/call.ts";
import type { ListToolsCommandOptions } from "./commands/list-tools.ts";
import type { ReloadCommandOptions } from "./commands/reload.ts";
import type { ServeCommandOptions } from "./commands/serve.ts";
import type { SwitchCommandOptions } from "./commands/switch.ts";
import type { TypesCommandOptions } from "./commands/types.ts";
import type { ValidateCommandOptions } from "./commands/validate.ts";
import type { WatchCommandOptions } from "./commands/watch.ts";
import type { Terminal } from "./terminal.ts";

const EXIT_CODES = `
Exit codes: 0 success; 1 the tool or the gateway answered with an error;
2 bad usage or an invalid file; 3 no gateway reached; 130 Ctrl-C.`;

/**
 * The commands and their options. What a command needs is loaded when it runs,
 * so that none pays for another. `end` is told the exit code.
 */
export function buildProgram(terminal: Terminal, end: (exitCode: number) => void): Command {
  const program = new Command("toolgate")
    .description("One door between AI agents and their tools.")
    .version(VERSION)
    .option("--gateway <address>", "gateway to talk to (default: $TOOLGATE_GATEWAY, or 127.0.0.1:50051)")
    .option("--api-key-file <file>", "file that holds the API key (default: $TOOLGATE_API_KEY)")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError('See "toolgate --help".')
    .configureOutput({ writeOut: (text) => terminal.out.write(text), writeErr: (text) => terminal.err.write(text) })
    .exitOverride();
  addServe(program, terminal, end);
  addListTools(program, terminal, end);
  addCall(program, terminal, end);
  addWatch(program, terminal, end);
  addTypes(program, terminal, end);
  addValidate(program, terminal, end);
  addReload(program, terminal, end);
  addAudit(program, terminal, end);
  addSwitch(program, terminal, end);
  addInit(program, terminal, end);
  return program;
}

type Add = (program: Command, terminal: Terminal, end: (exitCode: number) => void) => void;

/** For an option that may be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const addServe: Add = (program, terminal, end) => {
  program
    .command("serve")
    .description("run a gateway until Ctrl-C or SIGTERM")
    .option("-c, --config <file>", "configuration (default: $TOOLGATE_CONFIG, or gateway.yaml where there is one)")
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import("./commands/serve.ts");
      end(await serveCommand(options, terminal));
    });
};

const addListTools: Add = (program, terminal, end) => {
  program
    .command("list-tools")
    .description("list the tools that can be called")
    .option("-v, --verbose", "show source, backend, owner and the rest of each tool")
    .option("--json", "write the list as JSON, as GET /v1/tools does")
    .option("--toolset <name>", "only the tools of this toolset, by its name or an alias")
    .option("--query <words>", "only tools that fit these words, best first")
    .option("--all", "also tools that cannot be called now")
    .action(async (_options: unknown, command: Command) => {
      const { listToolsCommand } = await import("./commands/list-tools.ts");
      end(await listToolsCommand(command.optsWithGlobals<ListToolsCommandOptions>(), terminal));
    });
};

const CALL_NOTES = `
Values of --param are read by the tool's schema: where it allows text, 000123
stays text; where it asks for a number, true or false, null, a list or an
object, the value is read as JSON. A list can also be given by repeating the
option. --param goes over what --params-json says.

  toolgate call weather_query --param city=Beijing
  toolgate call weather_query --json '{"city":"Beijing"}'
  echo '{"city":"Beijing"}' | toolgate call weather_query --params-json -`;

const addCall: Add = (program, terminal, end) => {
  program
    .command("call")
    .description("run a tool")
    .argument("<name>", "the tool")
    .option("-p, --param <name=value>", "one argument; cut at the first =; may be repeated", collect)
    .option("--params-json <json>", "all arguments as JSON text, @FILE, or - for stdin")
    .option("--json", "write the whole answer as JSON; with JSON text after it, --params-json too")
    .option("--raw", "show what the backend said, before mapping")
    .option("--field <path>", "keep only this part of the result, such as items.title; may be repeated", collect)
    .option("--session <id>", "conversation that the call belongs to, for the loop guard")
    .option("--timeout <duration>", "give up after this time, such as 5s (default: 60s)")
    .option("--idempotency-key <key>", "run only once under this key")
    .addHelpText("after", CALL_NOTES)
    .action(async (name: string, _options: unknown, command: Command) => {
      const { callCommand } = await import("./commands/call.ts");
      end(await callCommand(name, command.optsWithGlobals<CallCommandOptions>(), terminal));
    });
};

const addWatch: Add = (program, terminal, end) => {
  program
    .command("watch")
    .description("show what happens to the toolsets, until Ctrl-C")
    .option("--json", "write one JSON object a line")
    .option("--once", "end when the present state has been told")
    .action(async (_options: unknown, command: Command) => {
      const { watchCommand } = await import("./commands/watch.ts");
      end(await watchCommand(command.optsWithGlobals<WatchCommandOptions>(), terminal));
    });
};

const addTypes: Add = (program, terminal, end) => {
  program
    .command("types")
    .description("write TypeScript types of the tools, for programs that use the client")
    .option("--toolset <name>", "only the tools of this toolset, by its name or an alias")
    .option("--strict", "calls of tools that are not in the list do not compile")
    .action(async (_options: unknown, command: Command) => {
      const { typesCommand } = await import("./commands/types.ts");
      end(await typesCommand(command.optsWithGlobals<TypesCommandOptions>(), terminal));
    });
};

const addValidate: Add = (program, terminal, end) => {
  program
    .command("validate")
    .description("check tool files without a gateway")
    .option("-f, --file <file>", "a tool file; may be repeated", collect)
    .option("-d, --dir <folder>", "a folder of tool files, with its subfolders")
    .option("-c, --config <file>", "also check this configuration, and its tools_dir")
    .action(async (options: ValidateCommandOptions) => {
      const { validateCommand } = await import("./commands/validate.ts");
      end(await validateCommand(options, terminal));
    });
};

const addReload: Add = (program, terminal, end) => {
  program
    .command("reload")
    .description("make the gateway read its files again")
    .option("--json", "write what changed as JSON")
    .action(async (_options: unknown, command: Command) => {
      const { reloadCommand } = await import("./commands/reload.ts");
      end(await reloadCommand(command.optsWithGlobals<ReloadCommandOptions>(), terminal));
    });
};

const addAudit: Add = (program, terminal, end) => {
  program
    .command("audit")
    .description("show what was called, and what operators did, newest first")
    .option("--caller <id>", "only what this client did")
    .option("--tool <name>", "only calls of this tool, by its own name")
    .option("--call <id>", "only this call, and its outcome where the agent ran it")
    .option("--kind <kind>", "only call, outcome, registration or admin")
    .option("--since <time>", "only what began so long ago or later: 10m, 2d, or 2026-02-03T10:15:00Z")
    .option("--limit <count>", "at most so many", "50")
    .option("--json", "write one JSON object a line, as the log's own file has them")
    .action(async (_options: unknown, command: Command) => {
      const { auditCommand } = await import("./commands/audit.ts");
      end(await auditCommand(command.optsWithGlobals<AuditCommandOptions>(), terminal));
    });
};

const addSwitch: Add = (program, terminal, end) => {
  for (const [name, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    program
      .command(name)
      .description(`switch a tool ${enabled ? "on again" : "off: it is not listed, and calls to it are refused"}`)
      .argument("<name>", "the tool")
      .option("--toolset", "the name is that of a toolset, and all its tools are meant")
      .action(async (tool: string, _options: unknown, command: Command) => {
        const { switchCommand } = await import("./commands/switch.ts");
        end(await switchCommand({ name: tool, enabled }, command.optsWithGlobals<SwitchCommandOptions>(), terminal));
      });
  }
};

const addInit: Add = (program, terminal, end) => {
  program
    .command("init")
    .description("write a configuration and a sample tool to start from")
    .argument("[dir]", "folder to write to", ".")
    .action(async (folder: string) => {
      const { initCommand } = await import("./commands/init.ts");
      end(await initCommand(folder, terminal));
    });
};
