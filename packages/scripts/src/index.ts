export { createScriptRunner, type OpenScriptRunner, type ScriptRunnerOptions } from "./script-runner.ts";
