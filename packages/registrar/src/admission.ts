import {
  type Backend,
  type DefinitionProblem,
  isJsonObject,
  isLegalName,
  MAX_TIMEOUT_MS,
  notLegal,
  type PathLanguage,
  type RefusalReason,
  type SchemaCompiler,
  type ToolDefinition,
} from "@toolgate/core";

export interface Refusal {
  readonly reason: RefusalReason;
  readonly message: string;
}

/** Decides by itself whether one definition may enter; knows nothing of its neighbours. */
export type AdmissionRule = (definition: ToolDefinition) => Refusal | undefined;

export interface AdmissionPorts {
  readonly schemas: SchemaCompiler;
  readonly paths: PathLanguage;
  readonly backends: ReadonlyMap<string, Backend>;
}

const MAX_TITLE = 256;
const MAX_DESCRIPTION_BYTES = 64 * 1024;
const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_LABELS = 32;
const MAX_TAG = 128;

/** The rules for every source, cheapest first. The first that refuses speaks. */
export function admissionRules(ports: AdmissionPorts): readonly AdmissionRule[] {
  return [
    legalNames,
    sizes,
    timeout,
    (definition) => firstProblem("input_schema", definition.inputSchema, ports.schemas),
    (definition) => firstProblem("output_schema", definition.outputSchema, ports.schemas),
    argumentsAreAnObject,
    batchIsAList,
    (definition) => mappingPaths(definition, ports.paths),
    (definition) => backendSettings(definition, ports.backends),
  ];
}

function legalNames({ name, capabilities, scopes }: ToolDefinition): Refusal | undefined {
  for (const [what, value] of [
    ["name", name],
    ...[...capabilities, ...scopes].map((label) => ["capability or scope", label]),
  ]) {
    if (isLegalName(value as string)) continue;
    return { reason: "AMBIGUOUS_NAME", message: notLegal(what as string, value as string) };
  }
  return undefined;
}

function sizes(definition: ToolDefinition): Refusal | undefined {
  const { description, title, capabilities, tags, inputSchema, outputSchema } = definition;
  const tooLarge = (what: string, is: number, limit: number): Refusal | undefined =>
    is <= limit ? undefined : { reason: "TOO_LARGE", message: `The ${what} is ${is}; at most ${limit} is allowed.` };
  return (
    tooLarge("length of the title", title.length, MAX_TITLE) ??
    tooLarge("size of the description in bytes", Buffer.byteLength(description), MAX_DESCRIPTION_BYTES) ??
    tooLarge("size of the input schema in bytes", Buffer.byteLength(inputSchema?.text ?? ""), MAX_SCHEMA_BYTES) ??
    tooLarge("size of the output schema in bytes", Buffer.byteLength(outputSchema?.text ?? ""), MAX_SCHEMA_BYTES) ??
    tooLarge("number of capabilities", capabilities.length, MAX_LABELS) ??
    tooLarge("number of tags", tags.length, MAX_LABELS) ??
    tooLarge("length of the longest tag", Math.max(0, ...tags.map((tag) => tag.length)), MAX_TAG)
  );
}

function timeout({ timeoutMs }: ToolDefinition): Refusal | undefined {
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return undefined;
  return { reason: "INVALID_SCHEMA", message: `The timeout must be more than 0 and at most 1h, not ${timeoutMs} ms.` };
}

function firstProblem(
  field: string,
  schema: ToolDefinition["inputSchema"],
  schemas: SchemaCompiler,
): Refusal | undefined {
  if (schema === undefined) return undefined;
  return invalid(field, schemas.inspect(schema));
}

function argumentsAreAnObject({ inputSchema }: ToolDefinition): Refusal | undefined {
  const type = isJsonObject(inputSchema?.value) ? inputSchema.value.type : undefined;
  const object = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (object) return undefined;
  return {
    reason: "INVALID_SCHEMA",
    message: `input_schema at /type: arguments are always an object, so the type must be "object", not ${JSON.stringify(type)}.`,
  };
}

function batchIsAList({ batch, inputSchema, execution }: ToolDefinition): Refusal | undefined {
  if (batch === undefined) return undefined;
  const refused = (message: string): Refusal => ({ reason: "INVALID_SCHEMA", message });
  if (execution === "client")
    return refused("batch: a tool that the client runs has no backend calls to put together.");
  const { value } = inputSchema ?? {};
  const properties = isJsonObject(value) && isJsonObject(value.properties) ? value.properties : {};
  const schema = Object.hasOwn(properties, batch.param) ? properties[batch.param] : undefined;
  if (isJsonObject(schema) && (schema.type === undefined || schema.type === "array")) return undefined;
  const is = isJsonObject(schema) ? `of type ${JSON.stringify(schema.type)}` : "no parameter of the tool";
  return refused(`batch at /param: ${JSON.stringify(batch.param)} must be a parameter that is a list, and is ${is}.`);
}

function mappingPaths({ response }: ToolDefinition, paths: PathLanguage): Refusal | undefined {
  for (const [field, path] of Object.entries(response.mapping ?? {})) {
    const problem = paths.inspect(path);
    if (problem !== undefined) {
      return { reason: "INVALID_SCHEMA", message: `response mapping of "${field}": ${problem}` };
    }
  }
  return undefined;
}

function backendSettings(definition: ToolDefinition, backends: ReadonlyMap<string, Backend>): Refusal | undefined {
  const { backend, execution } = definition;
  if (execution === "client") {
    if (backend === undefined) return undefined;
    return { reason: "INVALID_SCHEMA", message: "A tool that the client runs has no backend; leave one of both out." };
  }
  if (backend === undefined) {
    return {
      reason: "INVALID_SCHEMA",
      message: `The backend is missing. Known kinds: ${[...backends.keys()].join(", ")}.`,
    };
  }
  const known = backends.get(backend.kind);
  if (known === undefined) {
    const message = `This gateway has no backend of kind "${backend.kind}". Known kinds: ${[...backends.keys()].join(", ")}.`;
    return { reason: "INVALID_SCHEMA", message };
  }
  return invalid("backend", known.inspect(definition));
}

function invalid(field: string, problems: readonly DefinitionProblem[]): Refusal | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const place = first.path === "" ? field : `${field} at ${first.path}`;
  return { reason: "INVALID_SCHEMA", message: `${place}: ${first.message}${more}` };
}
