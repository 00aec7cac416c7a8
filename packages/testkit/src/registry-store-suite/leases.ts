import type { Command } from "@toolgate/core";
import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool } from "../builders.ts";
import type { CurrentRegistry } from "../registry-store-suite.ts";
import { outcomesOf } from "./registration.ts";

export function describeLeases(current: CurrentRegistry): void {
  const apply = (command: Command) => current().store.apply(command);
  const snapshot = () => current().store.snapshot();
  const renew = (leaseId: string, registrantId: string, now: number) =>
    apply({ type: "renew", leaseId, registrantId, now });
  const leasesOf = (tool: string) =>
    snapshot()
      .tools.get(tool)
      ?.instances.map(({ leaseId }) => leaseId);

  describe("leases", () => {
    it("renews a lease without a new generation", async () => {
      await apply(aRegister());
      expect(await renew("alice-1", "alice", 10_000)).toEqual({
        outcomes: [],
        known: true,
        removed: [],
        leaseMs: 30_000,
      });
      expect(snapshot().leases.get("alice-1")?.expiresAt).toBe(40_000);
      expect(snapshot().generation).toBe(1);
    });

    it("does not know a lease that never was, has run out, or is another registrant's", async () => {
      await apply(aRegister());
      expect(await renew("no-such", "alice", 1)).toMatchObject({ known: false });
      expect(await renew("alice-1", "bob", 1)).toMatchObject({ known: false });
      expect(await renew("alice-1", "alice", 30_000)).toMatchObject({ known: false });
      expect(snapshot().leases.get("alice-1")?.expiresAt).toBe(30_000);
    });

    it("leaves nothing of a lease that has run out", async () => {
      await apply(aRegister({ toolsets: [anOffer({ aliases: ["x"], tools: ["b", "a"] })] }));
      await apply(aRegister({ by: "bob", now: 1, toolsets: [anOffer({ name: "bobs", tools: ["own"] })] }));
      expect(await apply({ type: "expire", now: 29_999 })).toMatchObject({ removed: [] });
      expect(await apply({ type: "expire", now: 30_000 })).toMatchObject({ removed: ["a", "b"] });
      expect([...snapshot().tools.keys()]).toEqual(["own"]);
      expect([...snapshot().toolsets.keys()]).toEqual(["bobs"]);
      expect(snapshot().aliases.size).toBe(0);
      expect([...snapshot().leases.keys()]).toEqual(["bob-1"]);
      expect(snapshot().generation).toBe(3);
    });

    it("never lets a lease without end run out", async () => {
      await apply(aRegister({ durationMs: Number.POSITIVE_INFINITY }));
      await apply({ type: "expire", now: Number.MAX_SAFE_INTEGER });
      expect(snapshot().tools.has("echo")).toBe(true);
      await renew("alice-1", "alice", 5);
      expect(snapshot().leases.get("alice-1")?.expiresAt).toBe(Number.POSITIVE_INFINITY);
    });

    it("frees a name when its lease ends", async () => {
      await apply(aRegister());
      await apply({ type: "expire", now: 30_000 });
      expect(outcomesOf(await apply(aRegister({ by: "bob" })))).toEqual(["registered"]);
      expect(snapshot().toolsets.get("demo")?.registrant.id).toBe("bob");
    });

    it("deregisters some tools, and with the last one the lease", async () => {
      await apply(aRegister({ toolsets: [anOffer({ tools: ["a", "b", "c"] })] }));
      const deregister = (...tools: string[]) =>
        apply({ type: "deregister", leaseId: "alice-1", registrantId: "alice", tools });
      expect(await deregister("b", "no-such")).toEqual({ outcomes: [], known: true, removed: ["b"] });
      expect(snapshot().toolsets.get("demo")?.tools).toEqual(["a", "c"]);
      expect(await renew("alice-1", "alice", 1)).toMatchObject({ known: true });
      expect(await deregister("c", "a")).toMatchObject({ removed: ["a", "c"] });
      expect(await renew("alice-1", "alice", 1)).toMatchObject({ known: false });
      expect(snapshot().leases.size + snapshot().toolsets.size).toBe(0);
    });

    it("deregisters everything of a lease when no tool is named", async () => {
      await apply(aRegister({ toolsets: [anOffer({ tools: ["b", "a"] })] }));
      const command = { type: "deregister", leaseId: "alice-1", registrantId: "alice", tools: [] } as const;
      expect(await apply(command)).toMatchObject({ known: true, removed: ["a", "b"] });
      expect(await apply(command)).toMatchObject({ known: false, removed: [] });
    });

    it("deregisters only for the registrant of the lease", async () => {
      await apply(aRegister());
      const command = { type: "deregister", leaseId: "alice-1", registrantId: "bob", tools: [] } as const;
      expect(await apply(command)).toMatchObject({ known: false, removed: [] });
      expect(snapshot().tools.has("echo")).toBe(true);
    });
  });

  describe("instances", () => {
    const first = aRegister({ lease: "one", address: "127.0.0.1:1" });
    const second = aRegister({ lease: "two", address: "127.0.0.1:2" });
    const newer = (lease: string) => aRegister({ lease, toolsets: [anOffer({ tools: [aTool({ revision: "2" })] })] });

    it("adds an instance for a replica with the same definition", async () => {
      await apply(second);
      expect(outcomesOf(await apply(first))).toEqual(["unchanged"]);
      expect(snapshot().tools.get("echo")?.instances).toEqual([
        { leaseId: "one", address: "127.0.0.1:1" },
        { leaseId: "two", address: "127.0.0.1:2" },
      ]);
      expect(snapshot().generation).toBe(2);
    });

    it("takes a new address of an instance", async () => {
      await apply(first);
      await apply({ ...first, address: "127.0.0.1:9" });
      expect(snapshot().tools.get("echo")?.instances).toEqual([{ leaseId: "one", address: "127.0.0.1:9" }]);
      expect(snapshot().generation).toBe(2);
    });

    it("keeps a tool until its last instance leaves", async () => {
      await apply(first);
      await apply(second);
      const leave = (leaseId: string) => apply({ type: "deregister", leaseId, registrantId: "alice", tools: [] });
      expect(await leave("one")).toMatchObject({ removed: [] });
      expect(leasesOf("echo")).toEqual(["two"]);
      expect(await leave("two")).toMatchObject({ removed: ["echo"] });
      expect(snapshot().tools.size).toBe(0);
    });

    it("serves a new definition only where it was registered", async () => {
      await apply(first);
      await apply(second);
      expect(outcomesOf(await apply(newer("one")))).toEqual(["updated"]);
      expect(leasesOf("echo")).toEqual(["one"]);
      expect(await renew("two", "alice", 1)).toMatchObject({ known: true });
      expect(outcomesOf(await apply(newer("two")))).toEqual(["unchanged"]);
      expect(leasesOf("echo")).toEqual(["one", "two"]);
    });

    it("asks a replica with the old definition back when nobody serves the new one any more", async () => {
      await apply(first);
      await apply(second);
      await apply(newer("two"));
      await apply({ type: "deregister", leaseId: "two", registrantId: "alice", tools: [] });
      expect(snapshot().tools.has("echo")).toBe(false);
      expect(await renew("one", "alice", 1)).toMatchObject({ known: false });
      expect(outcomesOf(await apply(first))).toEqual(["registered"]);
      expect(await renew("one", "alice", 1)).toMatchObject({ known: true });
    });

    it("does not let an old lease take away what another registrant has registered since", async () => {
      await apply(first);
      await apply(second);
      await apply(newer("two"));
      await apply({ type: "deregister", leaseId: "two", registrantId: "alice", tools: [] });
      await apply(aRegister({ by: "bob" }));
      await apply({ type: "deregister", leaseId: "one", registrantId: "alice", tools: ["echo"] });
      expect(leasesOf("echo")).toEqual(["bob-1"]);
    });
  });
}
