import { type AuditEntry, ToolgateError } from "@toolgate/core";
import { createFakeClock, FAKE_START } from "@toolgate/testkit/fake-clock";
import { expect, it } from "vitest";
import { aContext, OPERATOR } from "../../../test/worlds.ts";
import { DoorError } from "../door-error.ts";
import { audited } from "./audited.ts";
import type { RequestContext } from "./context.ts";

function open(failure?: Error) {
  const entries: AuditEntry[] = [];
  const clock = createFakeClock();
  const handlers = {
    async drop({ name }: { name: string }, _context: RequestContext) {
      clock.advance(250);
      if (failure !== undefined) throw failure;
      return { dropped: name };
    },
    async look(_request: object, _context: RequestContext) {
      return 1;
    },
  };
  const wrapped = audited(
    handlers,
    {
      drop: ({ name }, response) =>
        name === "" ? undefined : { kind: "admin", action: "drop", tool: name, detail: response?.dropped ?? "" },
    },
    { clock, audit: (entry) => entries.push(entry) },
  );
  return { entries, wrapped };
}

const context = aContext({ caller: OPERATOR, door: "http" });

it("writes down who did what, and how long it took", async () => {
  const { entries, wrapped } = open();
  expect(await wrapped.drop({ name: "x".repeat(1_000) }, context)).toEqual({ dropped: "x".repeat(1_000) });
  expect(entries).toMatchObject([
    {
      kind: "admin",
      action: "drop",
      caller: "root",
      door: "http",
      status: "success",
      code: "",
      time: FAKE_START,
      latencyMs: 250,
    },
  ]);
  expect([entries[0]?.tool.length, entries[0]?.detail.length]).toEqual([128, 500]);
});

it.each([
  [new DoorError("PERMISSION_DENIED", "no"), "PERMISSION_DENIED"],
  [new ToolgateError("INTERNAL", "no"), "INTERNAL"],
  [new TypeError("broken"), "INTERNAL"],
])("writes down what failed, and lets the failure through: %s", async (failure, code) => {
  const { entries, wrapped } = open(failure);
  await expect(wrapped.drop({ name: "x" }, context)).rejects.toBe(failure);
  expect(entries).toMatchObject([{ status: "error", code, tool: "x", detail: "" }]);
});

it("writes nothing down of what is not told of", async () => {
  const { entries, wrapped } = open();
  await wrapped.drop({ name: "" }, context);
  await wrapped.look({}, context);
  expect(entries).toEqual([]);
});
