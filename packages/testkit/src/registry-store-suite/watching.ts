import type { Command } from "@toolgate/core";
import { describe, expect, it, vi } from "vitest";
import { anOffer, aRegister } from "../builders.ts";
import type { CurrentRegistry } from "../registry-store-suite.ts";
import { outcomesOf } from "./registration.ts";

export function describeWatching(current: CurrentRegistry): void {
  const apply = (command: Command) => current().store.apply(command);
  const offerOf = (tool: string) => aRegister({ toolsets: [anOffer({ tools: [tool] })] });

  describe("watching", () => {
    it("calls back once for each generation, in order, with what was before", async () => {
      const { store } = current();
      const heard: [number, number][] = [];
      store.subscribe((snapshot, before) => heard.push([before.generation, snapshot.generation]));
      await apply(offerOf("a"));
      await apply(offerOf("a"));
      await apply({ type: "renew", leaseId: "alice-1", registrantId: "alice", now: 1 });
      await apply(offerOf("b"));
      await vi.waitFor(() =>
        expect(heard).toEqual([
          [0, 1],
          [1, 2],
        ]),
      );
      expect(store.snapshot().generation).toBe(2);
    });

    it("goes on when a listener throws", async () => {
      const { store } = current();
      const heard: number[] = [];
      store.subscribe(() => {
        throw new Error("a listener that throws");
      });
      store.subscribe((snapshot) => heard.push(snapshot.generation));
      await apply(offerOf("a"));
      await apply(offerOf("b"));
      await vi.waitFor(() => expect(heard).toEqual([1, 2]));
    });

    it("tells every listener of every generation in order, also when one of them applies a command", async () => {
      const { store } = current();
      const first: number[] = [];
      const second: number[] = [];
      store.subscribe((snapshot) => {
        first.push(snapshot.generation);
        if (snapshot.generation === 1) void apply(offerOf("b"));
      });
      store.subscribe((snapshot) => second.push(snapshot.generation));
      await apply(offerOf("a"));
      await vi.waitFor(() =>
        expect([first, second]).toEqual([
          [1, 2],
          [1, 2],
        ]),
      );
    });

    it("stops calling back once unsubscribed", async () => {
      const { store } = current();
      const ended: number[] = [];
      const going: number[] = [];
      const unsubscribe = store.subscribe((snapshot) => ended.push(snapshot.generation));
      store.subscribe((snapshot) => going.push(snapshot.generation));
      await apply(offerOf("a"));
      await vi.waitFor(() => expect([ended, going]).toEqual([[1], [1]]));
      unsubscribe();
      unsubscribe();
      await apply(offerOf("b"));
      await vi.waitFor(() => expect(going).toEqual([1, 2]));
      expect(ended).toEqual([1]);
    });

    it("does not change a snapshot that somebody holds", async () => {
      const { store } = current();
      await apply(offerOf("a"));
      const held = store.snapshot();
      await apply(offerOf("b"));
      expect([...held.tools.keys()]).toEqual(["a"]);
      expect(held.generation).toBe(1);
    });

    it("keeps its epoch", async () => {
      const { epoch } = current().store;
      expect(epoch).not.toBe("");
      await apply(offerOf("a"));
      expect(current().store.epoch).toBe(epoch);
    });
  });

  describe("commands at the same time", () => {
    it("loses none of them", async () => {
      const names = Array.from({ length: 40 }, (_, i) => `tool-${i}`);
      await Promise.all(
        names.map((name, i) =>
          apply(aRegister({ by: `r${i}`, toolsets: [anOffer({ name: `set-${i}`, tools: [name] })] })),
        ),
      );
      const snapshot = current().store.snapshot();
      expect([...snapshot.tools.keys()].sort()).toEqual(names.toSorted());
      expect(snapshot.generation).toBe(names.length);
    });

    it("gives a name to one of those who want it", async () => {
      const wanted = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          apply(aRegister({ by: `r${i}`, toolsets: [anOffer({ name: `set-${i}`, tools: ["wanted"] })] })),
        ),
      );
      const outcomes = wanted.flatMap(outcomesOf);
      const winner = outcomes.indexOf("registered");
      expect(outcomes.filter((outcome) => outcome === "registered")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "NAME_TAKEN")).toHaveLength(19);
      expect(current().store.snapshot().tools.get("wanted")?.registrant.id).toBe(`r${winner}`);
    });
  });
}
