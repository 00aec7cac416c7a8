import { create } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import {
  type ToolAnnotations as AnnotationsMessage,
  type ToolDefinition as DefinitionMessage,
  Execution,
  type RegisterOutcome as OutcomeMessage,
  RefusalReason as Reason,
  RegisterOutcomeSchema,
  type RegisterRequest,
  RegisterStatus,
} from "@toolgate/contract";
import {
  type BackendSpec,
  type CheckSpec,
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_TIMEOUT_MS,
  type JsonObject,
  parseJson,
  type RefusalReason,
  type RegisterOutcome,
  type SchemaDocument,
  type ToolAnnotations,
  type ToolDefinition,
} from "@toolgate/core";

/** A definition that came by an rpc. Schema text that is no JSON is kept for the admission to refuse. */
export function definitionFromMessage(message: DefinitionMessage): ToolDefinition {
  const { name, title, description, owner, contact } = message;
  const backend = backendFromMessage(message);
  const check = checkFromMessage(message);
  const inputSchema = schemaFromText(message.inputSchema);
  const outputSchema = schemaFromText(message.outputSchema);
  const mapping = message.responseMapping;
  return {
    name,
    title,
    description,
    owner,
    contact,
    capabilities: sortedSet(message.capabilities),
    tags: sortedSet(message.tags),
    scopes: sortedSet(message.scopes),
    annotations: annotationsFromMessage(message.annotations),
    execution: message.execution === Execution.CLIENT ? "client" : "gateway",
    timeoutMs: message.timeout === undefined ? DEFAULT_TIMEOUT_MS : durationMs(message.timeout),
    response: {
      format: "auto",
      maxBytes: DEFAULT_MAX_RESPONSE_BYTES,
      ...(Object.keys(mapping).length === 0 ? {} : { mapping }),
    },
    enabled: true,
    // Who sent it need not be the operator.
    ...(backend === undefined ? {} : { backend: { ...backend, confined: true } }),
    ...(check === undefined ? {} : { check }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function sortedSet(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** Text that cannot be read as a schema becomes the value `null` here; the schema compiler names the fault. */
function schemaFromText(text: string): SchemaDocument | undefined {
  if (text === "") return undefined;
  try {
    return { text, value: parseJson(text) as JsonObject };
  } catch {
    return { text, value: null as unknown as JsonObject };
  }
}

function annotationsFromMessage(message: AnnotationsMessage | undefined): ToolAnnotations {
  const { readOnly, idempotent, destructive, openWorld } = message ?? {};
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(openWorld === undefined ? {} : { openWorld }),
  };
}

function backendFromMessage({ backend, name }: DefinitionMessage): BackendSpec | undefined {
  switch (backend.case) {
    case undefined:
      return undefined;
    case "http": {
      const { endpoint, method, parameterLocations, headers } = backend.value;
      const settings = { endpoint, method: method === "" ? "GET" : method, locations: parameterLocations, headers };
      return { kind: "http", name: hostOf(endpoint), settings };
    }
    case "provider":
      return { kind: "provider", name, settings: {} };
    case "grpc": {
      const { target, method, tls, descriptorSet } = backend.value;
      const settings = { target, method, tls };
      if (descriptorSet.length === 0) return { kind: "grpc", name: target, settings };
      const descriptors = Buffer.from(descriptorSet).toString("base64");
      return { kind: "grpc", name: target, settings: { ...settings, descriptor_set: descriptors } };
    }
  }
}

/** The question to whichever processes serve the tool: replicas of one provider ask for the same. */
function checkFromMessage({ backend, name }: DefinitionMessage): CheckSpec | undefined {
  if (backend.case !== "provider" || !backend.value.check) return undefined;
  return { kind: "provider", settings: { tool: name } };
}

/** The question to the processes of a toolset, each as a whole. */
export function toolsetCheckFrom({ check, toolset }: RegisterRequest): CheckSpec | undefined {
  return check ? { kind: "provider", settings: { toolset } } : undefined;
}

function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? "invalid";
}

const STATUSES = {
  registered: RegisterStatus.REGISTERED,
  updated: RegisterStatus.UPDATED,
  unchanged: RegisterStatus.UNCHANGED,
  refused: RegisterStatus.REFUSED,
} as const;

const REASONS: Record<RefusalReason, Reason> = {
  NAME_TAKEN: Reason.NAME_TAKEN,
  INVALID_SCHEMA: Reason.INVALID_SCHEMA,
  AMBIGUOUS_NAME: Reason.AMBIGUOUS_NAME,
  FORBIDDEN: Reason.FORBIDDEN,
  ADDRESS_NOT_ALLOWED: Reason.ADDRESS_NOT_ALLOWED,
  TOO_LARGE: Reason.TOO_LARGE,
};

export function outcomeToMessage(outcome: RegisterOutcome): OutcomeMessage {
  const { tool, status } = outcome;
  if (outcome.status !== "refused") return create(RegisterOutcomeSchema, { tool, status: STATUSES[status] });
  return create(RegisterOutcomeSchema, {
    tool,
    status: RegisterStatus.REFUSED,
    reason: REASONS[outcome.reason],
    message: outcome.message,
  });
}
