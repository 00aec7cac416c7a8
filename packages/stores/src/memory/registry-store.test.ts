import { anOffer, aRegister } from "@toolgate/testkit/builders";
import { registryStoreSuite } from "@toolgate/testkit/registry-store-suite";
import { describe, expect, it } from "vitest";
import { createMemoryRegistryStore } from "./index.ts";

registryStoreSuite("memory", async () => ({
  store: createMemoryRegistryStore({ epoch: "test" }),
  close: async () => {},
}));

describe("createMemoryRegistryStore", () => {
  it("shows a command and tells its listeners before apply resolves", async () => {
    const store = createMemoryRegistryStore({ epoch: "test" });
    const generations: number[] = [];
    store.subscribe((snapshot) => generations.push(snapshot.generation));
    const applied = store.apply(aRegister());
    expect(store.snapshot().generation).toBe(1);
    expect(generations).toEqual([1]);
    await applied;
  });

  it("hands what a listener threw to onError, and goes on", async () => {
    const errors: unknown[] = [];
    const store = createMemoryRegistryStore({ epoch: "test", onError: (error) => errors.push(error) });
    const broken = new Error("broken listener");
    const heard: number[] = [];
    store.subscribe(() => {
      throw broken;
    });
    store.subscribe((snapshot) => heard.push(snapshot.generation));
    await expect(store.apply(aRegister())).resolves.toMatchObject({ outcomes: [{ status: "registered" }] });
    await store.apply(aRegister({ toolsets: [anOffer({ tools: ["other"] })] }));
    expect(errors).toEqual([broken, broken]);
    expect(heard).toEqual([1, 2]);
  });

  it("goes on without an onError", async () => {
    const store = createMemoryRegistryStore({ epoch: "test" });
    store.subscribe(() => {
      throw new Error("broken listener");
    });
    await store.apply(aRegister());
    expect(store.snapshot().generation).toBe(1);
  });

  it("does not tell a subscriber of a change that it could already see", async () => {
    const store = createMemoryRegistryStore({ epoch: "test" });
    const late: number[] = [];
    store.subscribe((snapshot) => {
      if (snapshot.generation !== 1) return;
      void store.apply(aRegister({ toolsets: [anOffer({ tools: ["second"] })] }));
      store.subscribe((later) => late.push(later.generation));
    });
    await store.apply(aRegister());
    await store.apply(aRegister({ toolsets: [anOffer({ tools: ["third"] })] }));
    expect(late).toEqual([3]);
  });

  it("leaves the registry as it was when a command cannot be applied", async () => {
    const store = createMemoryRegistryStore({ epoch: "test" });
    await store.apply(aRegister());
    const before = store.snapshot();
    const unreadable = {
      get name(): string {
        throw new Error("unreadable");
      },
    };
    const command = aRegister({ toolsets: [{ ...anOffer(), tools: [unreadable as never] }] });
    await expect(store.apply(command)).rejects.toThrow("unreadable");
    expect(store.snapshot()).toBe(before);
  });
});
