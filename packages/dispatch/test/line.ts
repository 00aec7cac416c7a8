import {
  type Call,
  type CallEnding,
  checkKey,
  NO_LIMITS,
  type PathLanguage,
  type SchemaCompiler,
  type ScriptRunner,
  type Snapshot,
} from "@toolgate/core";
import { aCall, aSchema, aTool } from "@toolgate/testkit/builders";
import { aSnapshot } from "@toolgate/testkit/calls";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { type Script, scriptedBackend } from "@toolgate/testkit/scripted-backend";
import { createDispatcher, type DispatchPorts } from "../src/pipeline.ts";
import { aSlotStore } from "./slot-store.ts";

/** A caller without any scope. */
export const stranger = { id: "ann", admin: false, scopes: new Set<string>() };

/** Its answer is that KEY is not set. */
const check = { kind: "env", settings: { name: "KEY" } };
const needsCity = aSchema({ type: "object", required: ["city"] });
export const TOOLS = [
  aTool({ name: "echo" }),
  aTool({ name: "pay", annotations: {}, timeoutMs: 5_000 }),
  aTool({ name: "weather", inputSchema: needsCity, capabilities: ["weather"] }),
  aTool({ name: "secret_weather", inputSchema: needsCity, scopes: ["secret"], check, capabilities: ["weather"] }),
  aTool({ name: "down", inputSchema: needsCity, check }),
  aTool({ name: "mapped", response: { format: "auto", maxBytes: 1_000, mapping: { city: "city" } } }),
  (({ backend: _none, ...tool }) => tool)(aTool({ name: "remember", execution: "client", inputSchema: needsCity })),
  (({ backend: _none, ...tool }) => tool)(aTool({ name: "homeless" })),
];

/** Knows one rule: `city` must be there. Fills in `units`. */
const schemas: SchemaCompiler = {
  inspect: () => [],
  validate: (_schema, value) =>
    typeof value === "object" && value !== null && "city" in value
      ? []
      : [{ path: "/city", expected: "a value", got: "nothing" }],
  fillDefaults: (_schema, args) => ({ units: "metric", ...args }),
};
/** A path is a key. */
const paths: PathLanguage = {
  inspect: () => undefined,
  select: (key, value) => (value as Record<string, never>)[key],
};

/** No tool has a script. */
const noScripts: ScriptRunner = {
  check: async () => undefined,
  run: async () => ({ kind: "fault", fault: { kind: "no-transform" } }),
};

/** No tool's results may be kept. */
const noCache: DispatchPorts["cache"] = {
  results: { get: async () => undefined, set: async () => {} },
  policy: () => undefined,
  digest: (text) => text,
  observer: () => {},
};

/** The whole line, on these tools, a backend that does what the test says and compilers that know next to nothing. */
export function aLine(script?: Script, registry: Partial<Snapshot> = {}) {
  const clock = createFakeClock();
  const backend = scriptedBackend(script === undefined ? {} : { script });
  const started: Call[] = [];
  const ended: CallEnding[] = [];
  const health = new Map([[checkKey(check), { state: "unavailable", reason: "KEY is not set" } as const]]);
  const snapshot = aSnapshot(TOOLS, { health, ...registry });
  const dispatcher = createDispatcher({
    limits: { rules: NO_LIMITS, store: aSlotStore(), observer: { decided() {}, waiting() {} } },
    registry: { snapshot: () => snapshot },
    backends: new Map([["http", backend]]),
    schemas,
    paths,
    scripts: noScripts,
    observer: { started: (call) => started.push(call), ended: (ending) => ended.push(ending) },
    clock,
    random: () => 0.5,
    cache: noCache,
    batch: { isPrivate: () => false, observer: () => {} },
  });
  const call = (name: string, parts: Partial<Call> = {}) =>
    dispatcher.call(aCall({ target: { kind: "tool", name }, ...parts }));
  return { backend, clock, dispatcher, call, started, ended };
}
