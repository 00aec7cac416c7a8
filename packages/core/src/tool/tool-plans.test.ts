import { describe, expect, it } from "vitest";
import { aTool } from "../../test/builders.ts";
import { ToolPlans } from "./tool-plans.ts";

describe("the plans of tools", () => {
  it("are made once for a tool, and anew for one that was changed", () => {
    let made = 0;
    const plans = new ToolPlans(({ name }) => ({ plan: `${name} ${++made}`, problems: [] }));
    const tool = aTool({ name: "echo" });
    expect([plans.for(tool), plans.for(tool), plans.for({ ...tool })]).toEqual(["echo 1", "echo 1", "echo 2"]);
  });

  it("of a tool that has problems are an error of the gateway, which keeps them to itself", () => {
    const plans = new ToolPlans(() => ({ problems: [{ path: "/backend/settings/endpoint", message: "secret" }] }));
    expect(() => plans.for(aTool())).toThrow(
      expect.objectContaining({ code: "INTERNAL", message: expect.not.stringContaining("secret") }),
    );
  });
});
