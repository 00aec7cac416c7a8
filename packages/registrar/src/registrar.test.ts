import type { RegisterOutcome, Registrant, RegistryStore } from "@toolgate/core";
import { createMemoryRegistryStore } from "@toolgate/stores/memory";
import { aRegistrant } from "@toolgate/testkit/builders";
import { createFakeClock, FAKE_START } from "@toolgate/testkit/fake-clock";
import { describe, expect, it } from "vitest";
import { aDefinition, anOffer, aToolset } from "../test/offers.ts";
import type { AdmissionRule } from "./admission.ts";
import { type OfferResult, Registrar } from "./registrar.ts";

/** Refuses what is called "bad…", whatever else it is. */
const noBadNames: AdmissionRule = ({ name }) =>
  name.startsWith("bad") ? { reason: "INVALID_SCHEMA", message: `${name} is bad` } : undefined;

function open(parts: { readonly store?: RegistryStore; readonly onError?: (error: unknown) => void } = {}) {
  const clock = createFakeClock();
  const store = parts.store ?? createMemoryRegistryStore({ epoch: "test" });
  const heard: [RegisterOutcome, Registrant][] = [];
  const onOutcome = (outcome: RegisterOutcome, by: Registrant) => heard.push([outcome, by]);
  const registrar = new Registrar({ clock, rules: [noBadNames], onOutcome, ...parts, store });
  return { clock, store, registrar, heard };
}

const words = ({ outcomes }: OfferResult) =>
  outcomes.map((outcome) => `${outcome.tool} ${outcome.status === "refused" ? outcome.reason : outcome.status}`);

describe("Registrar.register", () => {
  it("answers for each tool in the order of the offer, the refused ones between the others", async () => {
    const { registrar, heard, store } = open();
    await registrar.register(anOffer({ registrant: aRegistrant("bob"), toolsets: [aToolset("bobs", ["taken"])] }));
    heard.length = 0;
    const result = await registrar.register(
      anOffer({
        toolsets: [aToolset("a", ["bad1", "x", "taken", "bad2"]), aToolset("b", ["bad3"]), aToolset("c", ["y", "x"])],
      }),
    );
    expect(words(result)).toEqual([
      "bad1 INVALID_SCHEMA",
      "x registered",
      "taken NAME_TAKEN",
      "bad2 INVALID_SCHEMA",
      "bad3 INVALID_SCHEMA",
      "y registered",
      "x AMBIGUOUS_NAME",
    ]);
    expect(heard).toEqual(result.outcomes.map((outcome) => [outcome, aRegistrant("alice")]));
    expect([...store.snapshot().toolsets.keys()]).toEqual(["bobs", "a", "c"]);
  });

  it("says which lease it gave, for how long, and what the registry's generation is", async () => {
    const { registrar, store } = open();
    const result = await registrar.register(anOffer({ address: "127.0.0.1:7" }));
    expect(result).toMatchObject({ leaseMs: 30_000, generation: 1, removed: [] });
    expect(store.snapshot().leases.get(result.leaseId)).toMatchObject({
      registrantId: "alice",
      durationMs: 30_000,
      expiresAt: FAKE_START + 30_000,
    });
    expect(store.snapshot().tools.get("echo")?.instances).toEqual([
      { leaseId: result.leaseId, address: "127.0.0.1:7" },
    ]);
  });

  it("gives the same registrant and instance the same lease, and everybody else another", async () => {
    const { registrar } = open();
    const leaseOf = async (id: string, instanceId: string) =>
      (await registrar.register(anOffer({ registrant: aRegistrant(id), instanceId }))).leaseId;
    const first = await leaseOf("alice", "one");
    expect(await leaseOf("alice", "one")).toBe(first);
    // The parts of the name must not run into each other.
    const others = [await leaseOf("alice", "two"), await leaseOf("bob", "one"), await leaseOf("aliceo", "ne")];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(first).not.toContain("alice");
  });

  it("renews the lease when it registers again", async () => {
    const { registrar, clock, store } = open();
    const { leaseId } = await registrar.register(anOffer());
    clock.advance(20_000);
    expect(words(await registrar.register(anOffer()))).toEqual(["echo unchanged"]);
    expect(store.snapshot().leases.get(leaseId)?.expiresAt).toBe(FAKE_START + 50_000);
  });

  it("removes on replace what is not offered any more, and keeps what is offered and refused", async () => {
    const { registrar, store } = open();
    let bad = "none";
    const rule: AdmissionRule = (definition) =>
      definition.name === bad ? { reason: "TOO_LARGE", message: "too large" } : undefined;
    const offer = (...tools: string[]) =>
      registrar.register(anOffer({ toolsets: [aToolset("demo", tools)], replace: true, rules: [rule] }));
    await offer("a", "b", "c");
    bad = "b";
    const result = await offer("a", "b");
    expect(words(result)).toEqual(["a unchanged", "b TOO_LARGE"]);
    expect(result.removed).toEqual(["c"]);
    expect([...store.snapshot().tools.keys()]).toEqual(["a", "b"]);
  });

  it("adds to what is there without replace", async () => {
    const { registrar, store } = open();
    await registrar.register(anOffer({ toolsets: [aToolset("demo", ["a"])] }));
    await registrar.register(anOffer({ toolsets: [aToolset("demo", ["b"])] }));
    expect(store.snapshot().toolsets.get("demo")?.tools).toEqual(["a", "b"]);
  });

  it("takes the rules of the offer after its own", async () => {
    const { registrar } = open();
    const rules: AdmissionRule[] = [() => ({ reason: "ADDRESS_NOT_ALLOWED", message: "no" })];
    const result = await registrar.register(anOffer({ toolsets: [aToolset("demo", ["bad", "good"])], rules }));
    expect(words(result)).toEqual(["bad INVALID_SCHEMA", "good ADDRESS_NOT_ALLOWED"]);
  });

  it("tells a new definition by what it says, not by how it is written", async () => {
    const { registrar } = open();
    const settings = { url: "http://demo.example", headers: { a: "1", b: "2" } };
    const offer = (backend: object, more: object = {}) =>
      registrar.register(
        anOffer({
          toolsets: [
            aToolset("demo", [
              aDefinition({ backend: { kind: "http", name: "demo", settings: { ...backend } }, ...more }),
            ]),
          ],
        }),
      );
    expect(words(await offer(settings))).toEqual(["echo registered"]);
    const reordered = { headers: { b: "2", a: "1" }, url: "http://demo.example" };
    expect(words(await offer(reordered))).toEqual(["echo unchanged"]);
    expect(words(await offer({ ...settings, url: "http://other.example" }))).toEqual(["echo updated"]);
    expect(words(await offer({ ...settings, url: "http://other.example" }, { timeoutMs: 1 }))).toEqual([
      "echo updated",
    ]);
  });

  it("keeps what does not expire", async () => {
    const { registrar, clock, store } = open();
    const { leaseMs: _never, ...offer } = anOffer();
    expect(await registrar.register(offer)).not.toHaveProperty("leaseMs");
    clock.advance(10 * 365 * 24 * 3_600_000);
    await registrar.expire();
    expect(store.snapshot().tools.has("echo")).toBe(true);
  });
});

describe("Registrar: leases", () => {
  it("renews the lease of its registrant, and knows no other", async () => {
    const { registrar, clock } = open();
    const { leaseId } = await registrar.register(anOffer());
    clock.advance(29_999);
    expect(await registrar.heartbeat(leaseId, "alice")).toMatchObject({ known: true, leaseMs: 30_000 });
    expect(await registrar.heartbeat(leaseId, "bob")).toMatchObject({ known: false });
    clock.advance(30_000);
    expect(await registrar.heartbeat(leaseId, "alice")).toMatchObject({ known: false });
  });

  it("deregisters for the registrant of the lease only", async () => {
    const { registrar, store } = open();
    const { leaseId } = await registrar.register(anOffer());
    expect(await registrar.deregister(leaseId, "bob", [])).toMatchObject({ known: false, removed: [] });
    expect(await registrar.deregister(leaseId, "alice", [])).toMatchObject({ known: true, removed: ["echo"] });
    expect(store.snapshot().leases.size).toBe(0);
  });

  it("lets a lease expire within a second of its end, again and again", async () => {
    const { registrar, clock, store } = open();
    registrar.start();
    await registrar.register(anOffer());
    await clock.advanceAsync(29_999);
    expect(store.snapshot().tools.has("echo")).toBe(true);
    await clock.advanceAsync(1_000);
    expect(store.snapshot().tools.has("echo")).toBe(false);
    await registrar.register(anOffer({ leaseMs: 5_000 }));
    await clock.advanceAsync(6_000);
    expect(store.snapshot().tools.size).toBe(0);
    registrar.stop();
    expect(clock.pending).toBe(0);
  });

  it("expires nothing once it is stopped", async () => {
    const { registrar, clock, store } = open();
    registrar.start();
    await registrar.register(anOffer());
    registrar.stop();
    await clock.advanceAsync(60_000);
    expect(store.snapshot().tools.has("echo")).toBe(true);
  });

  it("goes on expiring when the store was away for a while, and says that it was", async () => {
    const memory = createMemoryRegistryStore({ epoch: "test" });
    let isAway = false;
    const away = new Error("the store is away");
    const errors: unknown[] = [];
    const apply: RegistryStore["apply"] = (command) => (isAway ? Promise.reject(away) : memory.apply(command));
    const { registrar, clock } = open({
      store: { ...memory, apply },
      onError: (error) => errors.push(error),
    });
    await registrar.register(anOffer({ leaseMs: 5_000 }));
    registrar.start();
    isAway = true;
    await clock.advanceAsync(6_000);
    expect(errors).toEqual(Array.from({ length: 6 }, () => away));
    isAway = false;
    await clock.advanceAsync(1_000);
    expect(memory.snapshot().tools.size).toBe(0);
    registrar.stop();
  });
});
