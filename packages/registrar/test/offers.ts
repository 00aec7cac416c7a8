import type { CheckSpec, Tool, ToolDefinition } from "@toolgate/core";
import { aRegistrant, aTool } from "@toolgate/testkit/builders";
import type { Offer, OfferedToolset } from "../src/index.ts";

/** A definition as its owner gives it: a tool without what the register adds. */
export function aDefinition(parts: Partial<Tool> = {}): ToolDefinition {
  const { toolset: _toolset, source: _source, revision: _revision, ...definition } = aTool(parts);
  return definition;
}

/** A toolset of tools given by name or definition, all from "test". */
export function aToolset(
  name: string,
  tools: readonly (string | ToolDefinition)[],
  parts: Partial<OfferedToolset> = {},
): OfferedToolset {
  const offered = tools.map((tool) => ({
    definition: typeof tool === "string" ? aDefinition({ name: tool }) : tool,
    source: "test",
  }));
  return { name, tools: offered, ...parts };
}

/** An offer by "alice" of one toolset "demo" with "echo", for 30 s. */
export function anOffer(parts: Partial<Offer> = {}): Offer {
  return {
    registrant: aRegistrant("alice"),
    instanceId: "one",
    leaseMs: 30_000,
    toolsets: [aToolset("demo", ["echo"])],
    replace: false,
    ...parts,
  };
}

export function aCheck(name: string): CheckSpec {
  return { kind: "env", settings: { name } };
}
