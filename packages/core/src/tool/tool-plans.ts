import { ToolgateError } from "../errors/toolgate-error.ts";
import type { DefinitionProblem } from "../ports/backend.ts";
import type { Tool, ToolDefinition } from "./tool.ts";

/** What a backend makes of a definition before there is a call. */
export interface Planning<P> {
  /** Unset where there are problems. */
  readonly plan?: P;
  readonly problems: readonly DefinitionProblem[];
}

/** The plans of a backend's tools, each made at its tool's first call. */
export class ToolPlans<P> {
  readonly #planTool: (definition: ToolDefinition) => Planning<P>;
  /** A changed tool is another object, so a plan is never out of date. */
  readonly #plans = new WeakMap<Tool, P>();

  constructor(planTool: (definition: ToolDefinition) => Planning<P>) {
    this.#planTool = planTool;
  }

  /** @throws ToolgateError INTERNAL for a tool that should not have been registered. */
  for(tool: Tool): P {
    return this.#plans.get(tool) ?? this.#make(tool);
  }

  #make(tool: Tool): P {
    const { plan, problems } = this.#planTool(tool);
    if (plan === undefined) {
      throw ToolgateError.from(new Error(`The tool "${tool.name}" was registered with ${JSON.stringify(problems)}`));
    }
    this.#plans.set(tool, plan);
    return plan;
  }
}
