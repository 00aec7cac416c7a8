import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commands } from "../../test/registry-commands.ts";
import { knownOf, RegistryModel } from "../../test/registry-model.ts";
import { UNPROBED } from "../tool/availability.ts";
import { applyCommand } from "./apply.ts";
import type { Command, CommandResult } from "./commands.ts";
import { checkKey, EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";

interface Step {
  readonly command: Command;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly result: CommandResult;
}

/** Plays each generated history and shows every step. */
function everyStep(look: (step: Step) => void): void {
  fc.assert(
    fc.property(commands, (history) => {
      let before = EMPTY_SNAPSHOT;
      for (const command of history) {
        const { snapshot: after, result } = applyCommand(before, command);
        look({ command, before, after, result });
        before = after;
      }
    }),
    { numRuns: 500 },
  );
}

/** All that can be listed, as one text. */
function visibleOf(snapshot: Snapshot): string {
  const tools = [...snapshot.tools.values()].map(({ tool, registrant, instances }) => {
    const { name, revision, toolset, source } = tool;
    return { name, revision, toolset, source, registrant, instances };
  });
  const checks = [...snapshot.tools.values(), ...[...snapshot.toolsets.values()].map((tool) => ({ tool }))]
    .flatMap(({ tool: { check } }) => (check === undefined ? [] : [checkKey(check)]))
    .map((key) => {
      const { state, reason } = snapshot.health.get(key) ?? UNPROBED.health;
      return { key, state, reason };
    });
  const { aliases, disabledTools, disabledToolsets, toolsets } = snapshot;
  const parts = [tools, [...toolsets.values()], [...new Map(checks.map((check) => [check.key, check])).values()]];
  return JSON.stringify([...parts, [...aliases], [...disabledTools], [...disabledToolsets]].map(sorted));
}

/** All of it. */
function dumpOf(snapshot: Snapshot): string {
  const leases = [...snapshot.leases.values()].map((lease) => ({
    ...lease,
    tools: [...lease.tools],
    superseded: [...lease.superseded],
  }));
  return JSON.stringify([snapshot.generation, visibleOf(snapshot), sorted([...snapshot.health]), sorted(leases)]);
}

function sorted(list: readonly unknown[]): string[] {
  return list.map((item) => JSON.stringify(item)).sort();
}

describe("the registry, whatever happens", () => {
  it("does what a plain model of it does", () => {
    fc.assert(
      fc.property(commands, (history) => {
        const model = new RegistryModel();
        let snapshot = EMPTY_SNAPSHOT;
        for (const command of history) {
          const applied = applyCommand(snapshot, command);
          const expected = model.apply(command);
          snapshot = applied.snapshot;
          const { outcomes, known, removed } = applied.result;
          const said = outcomes.map((outcome) => (outcome.status === "refused" ? outcome.reason : outcome.status));
          const isSwitch = command.type === "setToolEnabled" || command.type === "setToolsetEnabled";
          expect({ outcomes: said, known: isSwitch || known, removed }).toEqual(expected);
          expect(knownOf(snapshot)).toEqual(model.known());
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never gives a taken name, toolset or lease to another registrant", () => {
    everyStep(({ before, after }) => {
      for (const [name, { registrant }] of before.tools) {
        expect(after.tools.get(name)?.registrant.id ?? registrant.id).toBe(registrant.id);
      }
      for (const [name, { registrant }] of before.toolsets) {
        expect(after.toolsets.get(name)?.registrant.id ?? registrant.id).toBe(registrant.id);
      }
      for (const [id, { registrantId }] of before.leases) {
        expect(after.leases.get(id)?.registrantId ?? registrantId).toBe(registrantId);
      }
    });
  });

  it("counts a generation exactly when something that can be listed changes", () => {
    everyStep(({ before, after }) => {
      const changed = visibleOf(after) !== visibleOf(before);
      expect(after.generation - before.generation).toBe(changed ? 1 : 0);
    });
  });

  it("leaves nothing of a lease that is over", () => {
    everyStep(({ before, after }) => {
      const over = [...before.leases.keys()].filter((id) => !after.leases.has(id));
      const serving = [...after.tools.values()].flatMap(({ instances }) => instances.map(({ leaseId }) => leaseId));
      expect(serving.filter((id) => over.includes(id))).toEqual([]);
    });
  });

  it("ends a lease when its time is over, or when its registrant says so", () => {
    everyStep(({ command, before, after }) => {
      if (command.type === "expire") {
        expect([...after.leases.values()].filter(({ expiresAt }) => expiresAt <= command.now)).toEqual([]);
      } else if (command.type === "deregister" && command.tools.length === 0) {
        const lease = before.leases.get(command.leaseId);
        const ends = lease?.registrantId === command.registrantId;
        expect(after.leases.has(command.leaseId)).toBe(lease !== undefined && !ends);
      }
    });
  });

  it("has exactly the instances that its leases name", () => {
    everyStep(({ after }) => {
      const named = [...after.leases.values()].flatMap(({ id, registrantId, tools }) =>
        [...tools].map((tool) => `${tool} of ${registrantId} by ${id}`),
      );
      const instances = [...after.tools].flatMap(([name, entry]) =>
        entry.instances.map(({ leaseId }) => `${name} of ${entry.registrant.id} by ${leaseId}`),
      );
      expect(named.sort()).toEqual(instances.sort());
      for (const entry of after.tools.values()) {
        const ids = entry.instances.map(({ leaseId }) => leaseId);
        expect(ids.length).toBeGreaterThan(0);
        expect(ids).toEqual(ids.toSorted());
      }
    });
  });

  it("has no lease without a tool, and none that is behind with a tool that it serves", () => {
    everyStep(({ after }) => {
      for (const { tools, superseded } of after.leases.values()) {
        expect(tools.size + superseded.size).toBeGreaterThan(0);
        expect([...superseded].filter((name) => tools.has(name))).toEqual([]);
      }
    });
  });

  it("has exactly the toolsets that its tools name, each of one registrant", () => {
    everyStep(({ after }) => {
      const entries = [...after.tools.values()];
      const expected = [...Map.groupBy(entries, ({ tool }) => tool.toolset)].map(([name, members]) => ({
        name,
        tools: members.map(({ tool }) => tool.name).sort(),
        owners: [...new Set(members.map(({ registrant }) => registrant.id))],
      }));
      const toolsets = [...after.toolsets].map(([name, { tools, registrant }]) => ({
        name,
        tools,
        owners: [registrant.id],
      }));
      expect(sorted(toolsets)).toEqual(sorted(expected));
    });
  });

  it("has exactly the aliases that its toolsets list", () => {
    everyStep(({ after }) => {
      const listed = [...after.toolsets.values()].flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name]));
      expect(sorted(listed)).toEqual(sorted([...after.aliases]));
    });
  });

  it("keeps an alias where it is until its toolset gives it up", () => {
    everyStep(({ command, before, after }) => {
      const offered = command.type === "register" ? command.toolsets.map(({ name }) => name) : [];
      for (const [alias, toolset] of before.aliases) {
        if (after.toolsets.has(toolset) && !offered.includes(toolset)) expect(after.aliases.get(alias)).toBe(toolset);
      }
    });
  });

  it("changes nothing when the same is registered again", () => {
    everyStep(({ command, after }) => {
      if (command.type !== "register") return;
      const again = applyCommand(after, command);
      expect(again.snapshot.generation).toBe(after.generation);
      expect(again.result.removed).toEqual([]);
      for (const { status } of again.result.outcomes) expect(["unchanged", "refused"]).toContain(status);
    });
  });

  it("says the same twice, and leaves the snapshot it started from alone", () => {
    everyStep(({ command, before, after, result }) => {
      const untouched = dumpOf(before);
      const again = applyCommand(before, command);
      expect(dumpOf(before)).toBe(untouched);
      expect(again.result).toEqual(result);
      expect(dumpOf(again.snapshot)).toBe(dumpOf(after));
    });
  });
});
