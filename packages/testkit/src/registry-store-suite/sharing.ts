import type { RegistryStore } from "@toolgate/core";
import { describe, expect, it, vi } from "vitest";
import { anOffer, aRegister } from "../builders.ts";
import type { CurrentRegistry } from "../registry-store-suite.ts";
import { outcomesOf } from "./registration.ts";

export function describeSharing(current: CurrentRegistry): void {
  describe("one registry for several gateways", () => {
    const both = (skip: (why: string) => never): readonly [RegistryStore, RegistryStore] => {
      const { store, peer } = current();
      return [store, peer ?? skip("this registry belongs to one process")];
    };

    it("shows each what the other registers", async ({ skip }) => {
      const [store, peer] = both(skip);
      expect(peer.epoch).toBe(store.epoch);
      const heard: number[] = [];
      peer.subscribe((snapshot) => heard.push(snapshot.generation));
      await store.apply(aRegister());
      await vi.waitFor(() => expect(peer.snapshot().tools.has("echo")).toBe(true));
      await peer.apply(aRegister({ by: "bob", toolsets: [anOffer({ name: "bobs", tools: ["own"] })] }));
      await vi.waitFor(() => expect(store.snapshot().tools.has("own")).toBe(true));
      await vi.waitFor(() => expect(heard).toEqual([1, 2]));
      expect(store.snapshot()).toEqual(peer.snapshot());
    });

    it("gives a name to one of two who want it at the same time", async ({ skip }) => {
      const [store, peer] = both(skip);
      const results = await Promise.all([
        store.apply(aRegister({ toolsets: [anOffer({ name: "hers", tools: ["wanted"] })] })),
        peer.apply(aRegister({ by: "bob", toolsets: [anOffer({ name: "his", tools: ["wanted"] })] })),
      ]);
      expect(results.flatMap(outcomesOf).sort()).toEqual(["NAME_TAKEN", "registered"]);
    });

    it("renews through one what was registered through the other", async ({ skip }) => {
      const [store, peer] = both(skip);
      await store.apply(aRegister());
      const renewed = await peer.apply({ type: "renew", leaseId: "alice-1", registrantId: "alice", now: 20_000 });
      expect(renewed).toMatchObject({ known: true });
      expect(await store.apply({ type: "expire", now: 40_000 })).toMatchObject({ removed: [] });
    });
  });
}
