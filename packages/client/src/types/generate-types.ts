import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, own, resolveRef } from "../schema/schema.ts";
import { Aliases, pascalCase } from "./aliases.ts";
import { type PrintPlace, printSchema } from "./print-schema.ts";
import { docComment, quoted } from "./type-text.ts";

/** What a type is made from; a `ListedTool` is one. */
export interface TypedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonValue;
  readonly outputSchema?: JsonValue | undefined;
}

export interface GenerateTypesOptions {
  /** True: `call` with a name that is not in the list does not compile. */
  readonly strict?: boolean;
}

const MODULE = "@toolgate/client";
const ANY_OBJECT = "{ [key: string]: unknown }";
const INDENT = "    ";

/**
 * TypeScript source that makes the compiler check `call`: names, arguments and
 * results of these tools. Put it into a file of the program, and generate it
 * anew when the tools change. The same tools give the same source, whatever
 * their order.
 */
export function generateTypes(tools: readonly TypedTool[], { strict = false }: GenerateTypesOptions = {}): string {
  const distinct = new Map(tools.map((tool) => [tool.name, tool]));
  const sorted = [...distinct.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = new Set<string>();
  const printed = sorted.map((tool) => printTool(tool, names));
  const aliases = printed.flatMap((tool) => tool.aliases);
  const options = strict ? [`  interface ToolMapOptions {\n    strict: true;\n  }\n`] : [];
  const map = `  interface ToolMap {\n${printed.map(({ entry }) => entry).join("")}  }\n`;
  return [
    `// Written by generateTypes of ${MODULE}. Do not edit: generate it anew.\n`,
    // What is added to must be part of the program.
    `import type {} from ${quoted(MODULE)};\n`,
    ...aliases,
    `declare module ${quoted(MODULE)} {\n${[...options, map].join("\n")}}\n`,
  ].join("\n");
}

interface PrintedTool {
  /** Declarations that the entry needs. */
  readonly aliases: readonly string[];
  readonly entry: string;
}

function printTool(tool: TypedTool, taken: Set<string>): PrintedTool {
  const { name, title = "", description = "", inputSchema, outputSchema } = tool;
  const args = printSide(objectOnly(inputSchema), { prefix: `${pascalCase(name)}Args`, side: "args", taken });
  const argsType = args.type === "unknown" ? ANY_OBJECT : args.type;
  const result =
    outputSchema === undefined
      ? { aliases: [], type: `import(${quoted(MODULE)}).JsonValue` }
      : printSide(outputSchema, { prefix: `${pascalCase(name)}Result`, side: "result", taken });
  const comment = docComment(description === "" ? title : description, INDENT);
  const fields = `${INDENT}  args: ${argsType};\n${INDENT}  result: ${result.type};\n`;
  return {
    aliases: [...args.aliases, ...result.aliases],
    entry: `${comment}${INDENT}${quoted(name)}: {\n${fields}${INDENT}};\n`,
  };
}

/** Arguments are always an object, also where the schema does not say so. */
function objectOnly(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return true;
  const isPlain = ["$ref", "allOf", "anyOf", "oneOf"].every((keyword) => own(schema, keyword) === undefined);
  return isPlain || own(schema, "type") !== undefined ? { ...schema, type: "object" } : schema;
}

interface Side extends Pick<PrintPlace, "side"> {
  readonly prefix: string;
  readonly taken: Set<string>;
}

function printSide(root: JsonValue, { prefix, side, taken }: Side) {
  const aliases = new Aliases(prefix, taken);
  const place = { root, aliases, side, inside: undefined };
  const { text: type } = printSchema(root, { ...place, indent: `${INDENT}  ` });
  const declarations = new Map<string, string>();
  // Each one that is written may name further ones.
  for (const [ref, alias] of aliases.entries()) {
    const target = resolveRef(root, ref) as JsonObject;
    const { text } = printSchema(target, { ...place, inside: ref, indent: "" });
    declarations.set(alias, `type ${alias} = ${text};\n`);
  }
  return { type, aliases: neededBy(type, declarations) };
}

/** The declarations that a type names, and those that they name: others may have fallen out of a union. */
function neededBy(type: string, declarations: ReadonlyMap<string, string>): string[] {
  const needed = new Set<string>();
  const waiting = [type];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const [word] of text.matchAll(/\w+/g)) {
      const declaration = declarations.get(word);
      if (declaration === undefined || needed.has(declaration)) continue;
      needed.add(declaration);
      waiting.push(declaration);
    }
  }
  return [...declarations.values()].filter((declaration) => needed.has(declaration));
}
