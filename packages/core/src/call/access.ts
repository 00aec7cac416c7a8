import { isIdempotent, type Tool } from "../tool/tool.ts";

/**
 * Which tools a rule is about: those that fit everything it says.
 *
 * Names are compared with their case; `*` stands for any run of characters,
 * also none. An annotation is compared with what the tool's owner says. What
 * the owner leaves unsaid is read as the Model Context Protocol has it: not
 * read-only, not idempotent, destructive, open to the world.
 */
export interface ToolRule {
  /** The toolset's own name, not an alias. */
  readonly toolset?: string;
  readonly tool?: string;
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

/** What a client may use, beside the scopes that tools themselves ask for. */
export interface AccessRules {
  /** Only tools that fit one of these; unset: any tool. */
  readonly allow?: readonly ToolRule[];
  /** Never tools that fit one of these, whatever allows them. */
  readonly deny?: readonly ToolRule[];
  /** Of the tools that may be called, only those that fit one of these are listed; unset: all. */
  readonly list?: readonly ToolRule[];
  /** Whether a tool that may not be called looks like one that does not exist. */
  readonly hideForbidden?: boolean;
}

/** What rules are asked about. */
export type RuledTool = Pick<Tool, "name" | "toolset" | "annotations">;

/** Rules made ready for quick answers. */
export interface Access {
  /** Equal for rules that say the same. */
  readonly key: string;
  readonly hideForbidden: boolean;
  permits(tool: RuledTool): boolean;
  lists(tool: RuledTool): boolean;
}

export function compileAccess(rules: AccessRules): Access {
  const { allow, deny, list, hideForbidden = false } = rules;
  const [allowed, denied, listed] = [anyOf(allow), anyOf(deny), anyOf(list)];
  return {
    key: JSON.stringify([allow ?? null, deny ?? [], list ?? null, hideForbidden]),
    hideForbidden,
    permits: (tool) => denied?.(tool) !== true && allowed?.(tool) !== false,
    lists: (tool) => listed?.(tool) !== false,
  };
}

type Test<T> = (value: T) => boolean;

/** Unset for no list of rules. */
function anyOf(rules: readonly ToolRule[] | undefined): Test<RuledTool> | undefined {
  if (rules === undefined) return undefined;
  const tests = rules.map(testOf);
  return (tool) => tests.some((test) => test(tool));
}

function testOf(rule: ToolRule): Test<RuledTool> {
  const toolset = namePattern(rule.toolset);
  const name = namePattern(rule.tool);
  return (tool) =>
    toolset(tool.toolset) &&
    name(tool.name) &&
    says(rule.readOnly, tool.annotations.readOnly ?? false) &&
    says(rule.idempotent, isIdempotent(tool)) &&
    says(rule.destructive, tool.annotations.destructive ?? tool.annotations.readOnly !== true) &&
    says(rule.openWorld, tool.annotations.openWorld ?? true);
}

function says(wanted: boolean | undefined, is: boolean): boolean {
  return wanted === undefined || wanted === is;
}

/** A test for names. Each part of the pattern is looked for once, from left to right, so no pattern is slow. */
function namePattern(pattern: string | undefined): Test<string> {
  if (pattern === undefined) return () => true;
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(start)) return false;
    let at = start.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return name.length - end.length >= at && name.endsWith(end);
  };
}
