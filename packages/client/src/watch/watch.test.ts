import { describe, expect, it } from "vitest";
import { type ClientErrorCode, ToolgateClientError } from "../client-error.ts";
import { message, wordsOf } from "./messages.fixture.ts";
import { retryDelay, type WatchOptions, type WatchRequest, watch } from "./watch.ts";

type Step = string | { readonly fails: ClientErrorCode } | { readonly silent: true } | { readonly epoch: string };

/** A gateway of which each stream says what the test wrote down, and timers that only the test lets run. */
function gateway(...streams: readonly (readonly Step[])[]) {
  const requests: WatchRequest[] = [];
  const signals: AbortSignal[] = [];
  const waits: number[] = [];
  let taken = 0;
  let open = 0;
  async function* speak(steps: readonly Step[], signal: AbortSignal) {
    let epoch = "one";
    open += 1;
    try {
      for (const step of steps) {
        if (typeof step === "string") {
          taken += 1;
          yield message(step, epoch);
        } else if ("epoch" in step) epoch = step.epoch;
        else if ("fails" in step) throw failure(step.fails);
        else await aborted(signal);
      }
    } finally {
      open -= 1;
    }
  }
  const timers = new Set<() => void>();
  const ports = {
    open(request: WatchRequest, signal: AbortSignal) {
      requests.push(request);
      signals.push(signal);
      return speak(streams[requests.length - 1] ?? [{ silent: true }], signal);
    },
    after(ms: number, run: () => void) {
      // A pause before another try ends at once; the wait for a sign of life when the test says so.
      if (ms < 3_000) {
        waits.push(ms);
        queueMicrotask(run);
        return () => {};
      }
      timers.add(run);
      return () => timers.delete(run);
    },
    random: () => 0,
  };
  return {
    ...{ ports, requests, signals, waits },
    takenMessages: () => taken,
    openStreams: () => open,
    fireTimers: () => {
      for (const run of timers) run();
    },
  };
}

function failure(code: ClientErrorCode): ToolgateClientError {
  return new ToolgateClientError(code, `It is ${code}.`, { mayHaveRun: false });
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(failure("CANCELLED"));
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return promise;
}

function start(fake: ReturnType<typeof gateway>, options: WatchOptions = {}) {
  const end = new AbortController();
  const events = watch(fake.ports, options, end.signal);
  const read = async (count: number) => {
    const words: string[] = [];
    while (words.length < count) {
      const { value, done } = await events.next();
      if (done === true) return [...words, "end"];
      words.push(wordsOf(value));
    }
    return words;
  };
  return { events, read, end };
}

describe("a watch", () => {
  it("tells what the gateway tells, without heartbeats", async () => {
    const fake = gateway([
      "added a t1 @2",
      "synced @2",
      "heartbeat @2",
      "changed a t2 -t1 @3",
      "health a t2 @4",
      "removed a @5",
    ]);
    const { read } = start(fake, { toolsets: ["a"], heartbeatMs: 2_000 });
    expect(await read(5)).toEqual([
      "added a t1 @2",
      "synced @2",
      "changed a t2 -t1 @3",
      "health a t2 @4",
      "removed a @5",
    ]);
    expect(fake.requests).toEqual([
      { toolsets: ["a"], heartbeatInterval: { $typeName: "google.protobuf.Duration", seconds: 2n, nanos: 0 } },
    ]);
  });

  it("takes no message before its reader asks for one", async () => {
    const fake = gateway(["added a @1", "added b @1", "synced @1"]);
    const { read } = start(fake);
    expect(fake.requests).toEqual([]);
    await read(1);
    expect(fake.takenMessages()).toBe(1);
  });

  it.each<[string, Step[]]>([
    ["breaks", [{ fails: "UNAVAILABLE" }]],
    ["breaks for an unknown reason", [{ fails: "INTERNAL" }]],
    ["ends", []],
  ])("goes on where it stopped when the stream %s", async (_what, ending) => {
    const fake = gateway(
      ["added a @2", "synced @2", "changed a @3", "heartbeat @7", ...ending],
      ["changed a @8", "synced @8", ...ending],
      ["synced @8"],
    );
    const { read } = start(fake);
    expect(await read(6)).toEqual([
      "added a @2",
      "synced @2",
      "changed a @3",
      "changed a @8",
      "synced @8",
      "synced @8",
    ]);
    expect(fake.requests.slice(1)).toMatchObject([
      { fromGeneration: "7", epoch: "one" },
      { fromGeneration: "8", epoch: "one" },
    ]);
  });

  it("starts over, and says so, where the stream breaks in the first snapshot", async () => {
    const fake = gateway(["added a @9", { fails: "UNAVAILABLE" }], ["added b @9", "synced @9"]);
    const { read } = start(fake);
    expect(await read(4)).toEqual(["added a @9", "reset @0", "added b @9", "synced @9"]);
    expect(fake.requests[1]).not.toHaveProperty("fromGeneration");
  });

  it("passes on that a restarted gateway starts over, and starts over again where that breaks", async () => {
    const fake = gateway(
      ["synced @5", { fails: "UNAVAILABLE" }],
      [{ epoch: "two" }, "reset @0", "added a @1", { fails: "UNAVAILABLE" }],
      [{ epoch: "two" }, "added a @1", "synced @1", { fails: "UNAVAILABLE" }],
      [{ epoch: "two" }, "synced @1"],
    );
    const { read } = start(fake);
    expect(await read(7)).toEqual([
      "synced @5",
      "reset @0",
      "added a @1",
      "reset @0",
      "added a @1",
      "synced @1",
      "synced @1",
    ]);
    expect(fake.requests[1]).toMatchObject({ fromGeneration: "5", epoch: "one" });
    expect(fake.requests[2]).not.toHaveProperty("fromGeneration");
    expect(fake.requests[3]).toMatchObject({ fromGeneration: "1", epoch: "two" });
  });

  it("takes a stream for dead that says nothing for three heartbeats", async () => {
    const lost: string[] = [];
    const fake = gateway(["synced @1", { silent: true }], ["synced @1"]);
    const { read } = start(fake, { onDisconnect: ({ message }) => lost.push(message) });
    await read(1);
    const next = read(1);
    await expect.poll(() => fake.openStreams()).toBe(1);
    fake.fireTimers();
    expect(await next).toEqual(["synced @1"]);
    expect(lost).toEqual(["The gateway has said nothing for 45 s; the connection is taken for dead."]);
    expect(fake.openStreams()).toBe(1);
  });

  it("waits longer after each try, until it is in sync again", async () => {
    const broken: Step[] = [{ fails: "UNAVAILABLE" }];
    const fake = gateway(
      ["synced @1", ...broken],
      broken,
      broken,
      ["changed a @2", ...broken],
      ["synced @2", ...broken],
      ["synced @2"],
    );
    const delays: number[] = [];
    const { read } = start(fake, { onDisconnect: (_failure, retryInMs) => delays.push(retryInMs) });
    await read(4);
    expect(delays).toEqual([125, 250, 500, 1_000, 125]);
    expect(fake.waits).toEqual(delays);
  });

  it.each<ClientErrorCode>(["UNAVAILABLE", "DEADLINE_EXCEEDED", "UNAUTHENTICATED"])(
    "is an error where no gateway was reached at first: %s",
    async (code) => {
      await expect(start(gateway([{ fails: code }])).read(1)).rejects.toMatchObject({ code });
    },
  );

  it.each<ClientErrorCode>(["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT", "UNIMPLEMENTED"])(
    "is an error where trying again mends nothing: %s",
    async (code) => {
      const { read } = start(gateway(["synced @1", { fails: "UNAVAILABLE" }], [{ fails: code }]));
      await expect(read(2)).rejects.toMatchObject({ code });
    },
  );

  it("ends without an error by the signal, at once", async () => {
    const fake = gateway(["synced @1", { silent: true }]);
    const { read, end } = start(fake);
    await read(1);
    const next = read(1);
    end.abort();
    expect(await next).toEqual(["end"]);
    expect(fake.openStreams()).toBe(0);
  });

  it("leaves nothing open where its reader stops", async () => {
    const fake = gateway(["synced @1", { silent: true }]);
    const { events, read } = start(fake);
    await read(1);
    await events.return();
    expect(fake.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await read(1)).toEqual(["end"]);
  });

  it("does not know what a newer gateway tells, and goes on", async () => {
    const { read } = start(gateway(["news a @1", "synced @1"]));
    expect(await read(1)).toEqual(["synced @1"]);
  });
});

describe("retryDelay", () => {
  it("doubles to a bound, half of it by chance", () => {
    expect([0, 1, 2, 3, 6, 7, 1_000].map((retries) => retryDelay(retries, 0.999999))).toEqual([
      250, 500, 1_000, 2_000, 15_000, 15_000, 15_000,
    ]);
    expect(retryDelay(0, 0)).toBe(125);
  });
});
