import type { Command, CommandResult } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool } from "../builders.ts";
import type { CurrentRegistry } from "../registry-store-suite.ts";

/** "registered", or "NAME_TAKEN" and the like, for each tool in order. */
export function outcomesOf(result: CommandResult): string[] {
  return result.outcomes.map((outcome) => (outcome.status === "refused" ? outcome.reason : outcome.status));
}

export function describeRegistration(current: CurrentRegistry): void {
  const apply = (command: Command) => current().store.apply(command);
  const snapshot = () => current().store.snapshot();

  describe("registration", () => {
    it("starts empty, at generation 0", () => {
      expect(snapshot()).toMatchObject({ generation: 0 });
      expect(snapshot().tools.size + snapshot().toolsets.size + snapshot().leases.size).toBe(0);
    });

    it("registers each tool of an offer", async () => {
      const result = await apply(aRegister({ toolsets: [anOffer({ tools: ["b", "a"] })], address: "127.0.0.1:7" }));
      expect(result).toEqual({
        outcomes: [
          { tool: "b", status: "registered" },
          { tool: "a", status: "registered" },
        ],
        known: true,
        removed: [],
      });
      expect(snapshot().generation).toBe(1);
      expect(snapshot().tools.get("a")).toEqual({
        tool: aTool({ name: "a" }),
        registrant: { id: "alice", label: "alice's key" },
        instances: [{ leaseId: "alice-1", address: "127.0.0.1:7" }],
      });
      expect(snapshot().toolsets.get("demo")).toMatchObject({ registrant: { id: "alice" }, tools: ["a", "b"] });
      expect(snapshot().leases.get("alice-1")).toMatchObject({ registrantId: "alice", expiresAt: 30_000 });
    });

    it("answers unchanged, and keeps the generation, when nothing is new", async () => {
      await apply(aRegister());
      const again = await apply(aRegister({ now: 5_000 }));
      expect(outcomesOf(again)).toEqual(["unchanged"]);
      expect(snapshot().generation).toBe(1);
      expect(snapshot().leases.get("alice-1")?.expiresAt).toBe(35_000);
    });

    it("takes a new definition from the owner", async () => {
      await apply(aRegister());
      const changed = aTool({ revision: "2", description: "new" });
      const result = await apply(aRegister({ toolsets: [anOffer({ tools: [changed] })] }));
      expect(outcomesOf(result)).toEqual(["updated"]);
      expect(snapshot().tools.get("echo")?.tool.description).toBe("new");
      expect(snapshot().generation).toBe(2);
    });

    it("security-08 (docker/mcp-gateway#513): never gives a taken name to another registrant", async () => {
      await apply(aRegister());
      const result = await apply(
        aRegister({ by: "bob", toolsets: [anOffer({ name: "bobs", tools: ["echo", "own"] })] }),
      );
      expect(outcomesOf(result)).toEqual(["NAME_TAKEN", "registered"]);
      expect(result.outcomes[0]).toMatchObject({ message: expect.stringContaining("alice's key") });
      expect(snapshot().tools.get("echo")).toMatchObject({ registrant: { id: "alice" }, tool: { toolset: "demo" } });
      expect(snapshot().toolsets.get("bobs")?.tools).toEqual(["own"]);
      expect([...(snapshot().leases.get("bob-1")?.tools ?? [])]).toEqual(["own"]);
    });

    it("leaves nothing behind of a registration that is refused entirely", async () => {
      await apply(aRegister());
      const offer = anOffer({ name: "bobs", aliases: ["b"], tools: ["echo"] });
      expect(outcomesOf(await apply(aRegister({ by: "bob", toolsets: [offer] })))).toEqual(["NAME_TAKEN"]);
      expect(snapshot().generation).toBe(1);
      expect(snapshot().toolsets.has("bobs")).toBe(false);
      expect(snapshot().aliases.size).toBe(0);
      expect(snapshot().leases.has("bob-1")).toBe(false);
    });

    it("refuses tools for a toolset of another registrant, and goes on with the next toolset", async () => {
      await apply(aRegister());
      const toolsets = [anOffer({ tools: ["intruder"] }), anOffer({ name: "bobs", tools: ["own"] })];
      const result = await apply(aRegister({ by: "bob", toolsets }));
      expect(outcomesOf(result)).toEqual(["FORBIDDEN", "registered"]);
      expect(result.outcomes[0]).toMatchObject({ tool: "intruder", message: expect.stringContaining("alice's key") });
      expect(snapshot().tools.has("intruder")).toBe(false);
    });

    it("refuses to register under the lease of another registrant", async () => {
      await apply(aRegister());
      const theft = aRegister({
        by: "bob",
        lease: "alice-1",
        replace: true,
        toolsets: [anOffer({ name: "bobs", tools: ["x"] })],
      });
      expect(outcomesOf(await apply(theft))).toEqual(["FORBIDDEN"]);
      expect([...snapshot().tools.keys()]).toEqual(["echo"]);
      expect(snapshot().leases.get("alice-1")?.registrantId).toBe("alice");
    });

    it("refuses the second of two equal names in one registration", async () => {
      const first = aTool({ name: "twice", description: "first" });
      const second = aTool({ name: "twice", description: "second", revision: "2" });
      const toolsets = [anOffer({ tools: [first, second, "once"] }), anOffer({ name: "more", tools: ["twice"] })];
      const result = await apply(aRegister({ toolsets }));
      expect(outcomesOf(result)).toEqual(["registered", "AMBIGUOUS_NAME", "registered", "AMBIGUOUS_NAME"]);
      expect(snapshot().tools.get("twice")?.tool.description).toBe("first");
      expect(snapshot().toolsets.has("more")).toBe(false);
    });

    it("adds to what a lease has, unless told to replace it", async () => {
      await apply(aRegister({ toolsets: [anOffer({ tools: ["a", "b", "c"] })] }));
      await apply(aRegister({ toolsets: [anOffer({ tools: ["d"] })] }));
      expect([...snapshot().tools.keys()].sort()).toEqual(["a", "b", "c", "d"]);
      const result = await apply(
        aRegister({ toolsets: [anOffer({ tools: ["b"] })], replace: true, keep: ["c", "no-such"] }),
      );
      expect(result.removed).toEqual(["a", "d"]);
      expect([...snapshot().tools.keys()].sort()).toEqual(["b", "c"]);
      expect([...(snapshot().leases.get("alice-1")?.tools ?? [])].sort()).toEqual(["b", "c"]);
    });

    it("ends a lease whose tools are all replaced by nothing", async () => {
      await apply(aRegister({ toolsets: [anOffer({ tools: ["a", "b"] })] }));
      const result = await apply(aRegister({ toolsets: [], replace: true }));
      expect(result.removed).toEqual(["a", "b"]);
      expect(snapshot().leases.size + snapshot().toolsets.size).toBe(0);
    });

    it.each(["__proto__", "constructor", "toString"])(
      "security-12 (node-config#906): %s is a name like any other",
      async (name) => {
        expect(snapshot().tools.get(name)).toBeUndefined();
        const toolsets = [anOffer({ name, aliases: [`${name}.alias`, "hasOwnProperty"], tools: [name] })];
        expect(outcomesOf(await apply(aRegister({ by: name, lease: name, toolsets })))).toEqual(["registered"]);
        expect(snapshot().tools.get(name)?.tool.toolset).toBe(name);
        expect(snapshot().toolsets.get(name)?.tools).toEqual([name]);
        expect(snapshot().aliases.get("hasOwnProperty")).toBe(name);
        const gone = await apply({ type: "deregister", leaseId: name, registrantId: name, tools: [] });
        expect(gone).toMatchObject({ known: true, removed: [name] });
        expect(snapshot().tools.size + snapshot().toolsets.size + snapshot().aliases.size).toBe(0);
      },
    );
  });
}
