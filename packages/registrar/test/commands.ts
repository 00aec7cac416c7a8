import { type Command, checkKey, type HealthState } from "@toolgate/core";
import { anOffer, aRegister, aTool } from "@toolgate/testkit/builders";
import fc from "fast-check";
import { aCheck } from "./offers.ts";

const registrants = fc.constantFrom("alice", "bob");
const leases = fc.constantFrom("1", "2");
const toolNames = fc.constantFrom("t1", "t2", "t3", "t4");
const toolsetNames = fc.constantFrom("s1", "s2", "s3");
const checks = fc.option(fc.constantFrom("c1", "c2").map(aCheck), { nil: undefined });
const states = fc.constantFrom<HealthState>("healthy", "degraded", "unavailable", "unknown");

const tool = fc
  .record({ name: toolNames, revision: fc.constantFrom("1", "2"), check: checks })
  .map(({ check, ...rest }) => {
    return aTool(check === undefined ? rest : { ...rest, check });
  });

const offer = fc
  .record({
    name: toolsetNames,
    aliases: fc.uniqueArray(fc.constantFrom("x", "y", "s3"), { maxLength: 2 }),
    check: checks,
    tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
  })
  .map(({ check, ...rest }) => anOffer(check === undefined ? rest : { ...rest, check }));

const leaseOf = (by: string, lease: string) => ({ leaseId: `${by}-${lease}`, registrantId: by });

/** Any command, on so few names that they meet each other all the time. */
export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        by: registrants,
        lease: leases,
        toolsets: fc.array(offer, { minLength: 1, maxLength: 2 }),
        replace: fc.boolean(),
      })
      .map(({ by, lease, ...rest }) => aRegister({ by, lease: `${by}-${lease}`, now: 0, ...rest })),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ by: registrants, lease: leases, tools: fc.uniqueArray(toolNames, { maxLength: 2 }) })
      .map(({ by, lease, tools }): Command => ({ type: "deregister", ...leaseOf(by, lease), tools })),
  },
  fc
    .record({ by: registrants, lease: leases, now: fc.nat(40_000) })
    .map(({ by, lease, now }): Command => ({ type: "renew", ...leaseOf(by, lease), now })),
  fc.nat(80_000).map((now): Command => ({ type: "expire", now })),
  {
    weight: 2,
    arbitrary: fc.record({ check: fc.constantFrom("c1", "c2"), state: states }).map(
      ({ check, state }): Command => ({
        type: "setHealth",
        checkKey: checkKey(aCheck(check)),
        health: { state, reason: state === "healthy" ? "" : `it is ${state}` },
      }),
    ),
  },
  fc.record({ tool: toolNames, enabled: fc.boolean() }).map((parts): Command => ({ type: "setToolEnabled", ...parts })),
  fc
    .record({ toolset: toolsetNames, enabled: fc.boolean() })
    .map((parts): Command => ({ type: "setToolsetEnabled", ...parts })),
);
