import { type ScriptPrograms, scriptRunnerSuite } from "@toolgate/testkit/script-runner-suite";
import { createScriptRunner } from "../script-runner.ts";

/** Gives "out" where the expression is anything that a script must not have. */
const seeks = (expression: string) => `function transform() {
  try { return (${expression}) == null ? "in" : "out"; } catch { return "in"; }
}`;

const programs: ScriptPrograms = {
  identity: "function transform(input) { return input; }",
  sum: "export default (list) => ({ count: list.length, sum: list.reduce((a, b) => a + b, 0) });",
  shout: "export function transform({ name }) { return name.toUpperCase(); }",
  increment: "const transform = (n) => (typeof n === 'bigint' ? n + 1n : n + 1);",
  throws: "function transform(input) {\n  const inner = input.inner;\n  return inner.value;\n}",
  throwsOwn: "function transform() {\n  throw new RangeError('busy');\n}",
  throwsAtOnce: "const x = null;\nx.y;\nfunction transform() {}",
  syntaxError: "function transform(input) {\n  const a = 1;\n  const b = ;\n}",
  noTransform: "function transfrom(input) { return input; }",
  hangs: "function transform(input) { while (input === 'hang'); return input; }",
  hangsOn: "function transform() { for (;;) { try { for (;;); } catch {} finally { continue; } } }",
  hangsAtOnce: "for (;;);",
  fillsMemory: "function transform() { const a = []; for (;;) a.push({ a: [] }); }",
  callsItself: "function transform(n) { return [transform(n)]; }",
  notJson: {
    nothing: "function transform() {}",
    NaN: "function transform() { return { a: [0 / 0] }; }",
    infinity: "function transform() { return 1 / 0; }",
    function: "function transform() { return { transform }; }",
    cycle: "function transform() { const a = {}; a.a = [a]; return a; }",
  },
  text: "function transform(n) { return 'x'.repeat(n); }",
  remembers: `globalThis.n = (globalThis.n ?? 0) + 1; Array.prototype.n = (Array.prototype.n ?? 0) + 1;
function transform() { return Math.max(globalThis.n, [].n); }`,
  pollutes: `Object.prototype.toJSON = () => "polluted"; JSON.stringify = JSON.parse = () => "polluted";
String.prototype.toUpperCase = () => "polluted"; Array.prototype.push = null; Array.prototype[Symbol.iterator] = null;
function transform(input) { input.__proto__.x = 1; return input; }`,
  escapes: {
    process: seeks("globalThis.process"),
    "process by a constructor": seeks("constructor.constructor('return process')()"),
    "process by an error's constructor": seeks(
      "(() => { try { null.x } catch (e) { return e.constructor.constructor('return process')() } })()",
    ),
    "process by the input's constructor":
      "function transform(input) { return input.constructor.constructor('return process')().pid; }",
    require: seeks("require('node:fs')"),
    "an import": "import fs from 'node:fs';\nexport default () => fs.readFileSync('/etc/passwd', 'utf8');",
    "an import of QuickJS's own": "import * as os from 'os';\nexport default () => os.exec(['id']);",
    "an import while running": "function transform() { return import('node:fs'); }",
    fetch: seeks("globalThis.fetch"),
    timers: seeks("globalThis.setTimeout"),
    "a console": seeks("globalThis.console ?? globalThis.print"),
    "the module around it": seeks("globalThis.Module ?? globalThis.std ?? globalThis.os ?? globalThis.scriptArgs"),
    "the caller of a function": seeks("transform.caller ?? arguments.callee.caller"),
    WebAssembly: seeks("globalThis.WebAssembly"),
    "a stack that is prepared": seeks(
      "(Error.prepareStackTrace = (_, frames) => frames, new Error().stack)?.[0]?.getThis?.()",
    ),
  },
};

scriptRunnerSuite({ language: "javascript", programs, open: () => createScriptRunner() });
