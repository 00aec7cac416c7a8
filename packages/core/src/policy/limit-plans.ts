import type { Caller } from "../call/call.ts";
import type { LimitsSpec, Tool } from "../tool/tool.ts";
import { type Limit, type LimitPlan, type LimitRules, limitsOf, planOf } from "./limits.ts";

/** The plan of each tool and caller, made when they first meet. */
export class LimitPlans {
  readonly #rules: LimitRules;
  readonly #global: readonly Limit[];
  /** Whether a tool that says nothing of limits has none either. */
  readonly #onlyTools: boolean;
  /** Callers and tools are immutable: a changed one is another object, so a plan is never out of date. */
  readonly #plans = new WeakMap<Tool, WeakMap<Caller, LimitPlan | null>>();

  constructor(rules: LimitRules) {
    const { global, perTool, perClient, clients } = rules;
    this.#rules = rules;
    this.#global = global === undefined ? [] : limitsOf("global", "", global);
    this.#onlyTools = this.#global.length === 0 && perTool.size === 0 && perClient === undefined && clients.size === 0;
  }

  /** `undefined` where nothing limits this tool for this caller. */
  for(tool: Tool, caller: Caller): LimitPlan | undefined {
    if (this.#onlyTools && tool.limits === undefined) return undefined;
    const known = this.#plans.get(tool)?.get(caller);
    return (known === undefined ? this.#make(tool, caller) : known) ?? undefined;
  }

  #make(tool: Tool, caller: Caller): LimitPlan | null {
    const { perTool, perClient, clients } = this.#rules;
    const ofTool = limitsOf("tool", tool.name, both(tool.limits, perTool.get(tool.name)));
    const ofCaller = limitsOf("client", caller.id, both(perClient, clients.get(caller.id)));
    const plan = planOf([...this.#global, ...ofTool, ...ofCaller]) ?? null;
    const ofThisTool = this.#plans.get(tool) ?? new WeakMap<Caller, LimitPlan | null>();
    this.#plans.set(tool, ofThisTool.set(caller, plan));
    return plan;
  }
}

/** The first, with what the second says otherwise. */
function both(first: LimitsSpec | undefined, second: LimitsSpec | undefined): LimitsSpec {
  return { ...first, ...second };
}
