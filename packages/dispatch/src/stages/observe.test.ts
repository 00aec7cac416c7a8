import { type Call, type CallEnding, type CallObserver, type Envelope, ok } from "@toolgate/core";
import { aCall } from "@toolgate/testkit/builders";
import { stageSuite } from "@toolgate/testkit/stage-suite";
import { describe, expect, it } from "vitest";
import type { Sealed } from "./envelope.ts";
import { observe } from "./observe.ts";

const ending = (call: Call) => ({ call, entry: undefined, now: 5 });
const ENVELOPE: Envelope = ok({ kind: "success", data: { value: 1 } }, ending(aCall()));
const SEALED: Sealed = { envelope: ENVELOPE, entry: undefined };

function recording(): CallObserver & { readonly heard: (Call | CallEnding)[] } {
  const heard: (Call | CallEnding)[] = [];
  return { heard, started: (call) => heard.push(call), ended: (end) => heard.push(end) };
}

stageSuite("observe", {
  stage: observe({ observer: recording() }),
  call: (signal) => aCall({ signal }),
  answer: SEALED,
  changes: { results: "it hands the envelope out and keeps what only observers may see" },
});

describe("observe", () => {
  it("tells of the start before anything else happens, and of the end with all that is known", async () => {
    const observer = recording();
    const call = aCall();
    const cause = new Error("the log may see this");
    const sealed = { ...SEALED, cause };
    const envelope = await observe({ observer }).run(call, async (handed) => {
      expect(handed).toBe(call);
      expect(observer.heard).toEqual([call]);
      return sealed;
    });
    expect(envelope).toBe(ENVELOPE);
    expect(observer.heard).toEqual([call, { call, ...sealed }]);
  });
});
