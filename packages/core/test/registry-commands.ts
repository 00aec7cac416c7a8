import fc from "fast-check";
import type { Command, ToolsetOffer } from "../src/registry/commands.ts";
import { checkKey } from "../src/registry/snapshot.ts";
import type { CheckSpec, Tool } from "../src/tool/tool.ts";
import { aTool } from "./builders.ts";

// Pools so small that names clash all the time.
const REGISTRANTS = ["alice", "bob", "carol"];
const TOOLS = ["a", "b", "c", "d", "__proto__", "constructor"];
const TOOLSETS = ["s", "t", "u", "toString"];
const ALIASES = ["x", "y", "s", "__proto__"];
const CHECKS: readonly CheckSpec[] = [
  { kind: "http", settings: { url: "http://one.example/" } },
  { kind: "env", settings: { name: "KEY" } },
];

const check = fc.option(fc.constantFrom(...CHECKS), { nil: undefined, freq: 2 });
const registrant = fc.constantFrom(...REGISTRANTS);
/** Two of each registrant. */
const lease = fc.constantFrom(...REGISTRANTS.flatMap((id) => [`${id}-1`, `${id}-2`]));

/** Equal revisions are equal definitions. */
const tool: fc.Arbitrary<Tool> = fc
  .record({
    name: fc.constantFrom(...TOOLS),
    version: fc.constantFrom("1", "2"),
    check,
    source: fc.constantFrom("f", "g"),
  })
  .map(({ name, version, check: asked, source }) => {
    const revision = `${version} ${asked?.kind}`;
    return aTool({ name, source, revision, ...(asked === undefined ? {} : { check: asked }) });
  });

const offer: fc.Arbitrary<ToolsetOffer> = fc
  .record({
    name: fc.constantFrom(...TOOLSETS),
    source: fc.constantFrom("f", "g"),
    aliases: fc.array(fc.constantFrom(...ALIASES), { maxLength: 3 }),
    check,
    tools: fc.array(tool, { maxLength: 4 }),
  })
  .map(({ check: asked, ...rest }) => ({
    ...rest,
    ...(asked === undefined ? {} : { check: asked }),
    tools: rest.tools.map((one) => ({ ...one, toolset: rest.name })),
  }));

const register = fc
  .record({
    by: registrant,
    slot: fc.constantFrom("1", "2"),
    /** Once in a while the lease of anybody. */
    stolen: fc.option(lease, { nil: undefined, freq: 12 }),
    durationMs: fc.constantFrom(10, 100, Number.POSITIVE_INFINITY),
    address: fc.option(fc.constantFrom("h:1", "h:2"), { nil: undefined }),
    toolsets: fc.array(offer, { maxLength: 3 }),
    replace: fc.boolean(),
    keep: fc.array(fc.constantFrom(...TOOLS), { maxLength: 2 }),
  })
  .map(
    (parts) =>
      (now: number): Command => ({
        type: "register",
        registrant: { id: parts.by, label: parts.by },
        lease: {
          id: parts.stolen ?? `${parts.by}-${parts.slot}`,
          durationMs: parts.durationMs,
          expiresAt: now + parts.durationMs,
        },
        ...(parts.address === undefined ? {} : { address: parts.address }),
        toolsets: parts.toolsets,
        replace: parts.replace,
        keep: new Set(parts.keep),
      }),
  );

/** Mostly the registrant's own lease. */
const holder = fc
  .record({ leaseId: lease, thief: fc.option(registrant, { nil: undefined, freq: 8 }) })
  .map(({ leaseId, thief }) => ({ leaseId, registrantId: thief ?? (leaseId.split("-")[0] as string) }));

const renew = holder.map(
  (parts) =>
    (now: number): Command => ({ type: "renew", ...parts, now }),
);
const deregister = fc
  .record({ holder, tools: fc.array(fc.constantFrom(...TOOLS), { maxLength: 3 }) })
  .map((parts) => (): Command => ({ type: "deregister", ...parts.holder, tools: parts.tools }));
const expire = fc.constant((now: number): Command => ({ type: "expire", now }));
const aCheckKey = fc.constantFrom(...CHECKS).map(checkKey);
const setHealth = fc
  .record({ key: aCheckKey, state: fc.constantFrom("healthy", "degraded", "unavailable", "unknown" as const) })
  .map(({ key, state }) => (now: number): Command => {
    const reason = { healthy: "", degraded: "slow", unavailable: "down", unknown: "not checked yet" }[state];
    return { type: "setHealth", checkKey: key, health: { state, reason, checkedAt: now } };
  });
const dropHealth = aCheckKey.map((key) => (): Command => ({ type: "dropHealth", checkKey: key }));
const toggleTool = fc
  .record({ tool: fc.constantFrom(...TOOLS), enabled: fc.boolean() })
  .map((parts) => (): Command => ({ type: "setToolEnabled", ...parts }));
const toggleToolset = fc
  .record({ toolset: fc.constantFrom(...TOOLSETS), enabled: fc.boolean() })
  .map((parts) => (): Command => ({ type: "setToolsetEnabled", ...parts }));

/** A history: commands, each some milliseconds after the one before. */
export const commands: fc.Arbitrary<Command[]> = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 1, 9, 50, 100),
      make: fc.oneof(
        { weight: 8, arbitrary: register },
        { weight: 2, arbitrary: renew },
        { weight: 3, arbitrary: deregister },
        { weight: 3, arbitrary: expire },
        { weight: 2, arbitrary: setHealth },
        { weight: 1, arbitrary: dropHealth },
        { weight: 1, arbitrary: toggleTool },
        { weight: 1, arbitrary: toggleToolset },
      ),
    }),
    { maxLength: 25 },
  )
  .map((steps) => {
    let now = 0;
    return steps.map(({ after, make }) => {
      now += after;
      return make(now);
    });
  });
