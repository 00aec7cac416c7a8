import { describe, expect, it } from "vitest";
import { anOffer, aRegister, aTool, registryAfter } from "../../test/builders.ts";
import { type AccessRules, compileAccess } from "../call/access.ts";
import type { Caller } from "../call/call.ts";
import { emptyReasonOf } from "./empty-reason.ts";
import { EMPTY_SNAPSHOT } from "./snapshot.ts";

const snapshot = registryAfter(
  aRegister({
    toolsets: [
      anOffer({
        name: "web",
        tools: [aTool({ name: "search" }), aTool({ name: "secret", scopes: ["vault"] })],
      }),
      anOffer({ name: "off", tools: [aTool({ name: "off", enabled: false })] }),
    ],
  }),
);
const all = { includeUnavailable: false };
const caller = (rules: AccessRules = {}, ...scopes: string[]): Caller => ({
  id: "ann",
  admin: false,
  scopes: new Set(scopes),
  access: compileAccess(rules),
});

describe("why a list is empty (BerriAI/litellm#17650)", () => {
  it("tells a gateway without tools, filters that fit nothing, and tools that cannot be used apart", () => {
    expect(emptyReasonOf(EMPTY_SNAPSHOT, all, caller())).toBe("no_tools");
    expect(emptyReasonOf(snapshot, { ...all, name: "nothing" }, caller())).toBe("no_match");
    expect(emptyReasonOf(snapshot, { ...all, toolset: "off" }, caller())).toBe("unavailable");
  });

  it("says that there is no permission, for all tools and for those that fit", () => {
    expect(emptyReasonOf(snapshot, all, caller({ allow: [] }))).toBe("not_permitted");
    expect(emptyReasonOf(snapshot, { ...all, name: "secret" }, caller())).toBe("not_permitted");
  });

  it("says that what may be called is not listed", () => {
    expect(emptyReasonOf(snapshot, all, caller({ list: [] }))).toBe("not_listed");
  });

  it("gives a caller from whom forbidden tools are hidden the same reason for them as for none", () => {
    const hidden = { hideForbidden: true };
    for (const name of ["secret", "nothing"]) {
      expect(emptyReasonOf(snapshot, { ...all, name }, caller(hidden))).toBe("no_match");
      expect(emptyReasonOf(snapshot, { ...all, name }, caller({ ...hidden, allow: [] }))).toBe("not_permitted");
    }
    expect(emptyReasonOf(snapshot, all, caller({ ...hidden, allow: [] }))).toBe("not_permitted");
  });
});
