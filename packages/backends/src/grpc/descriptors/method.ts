import type { DescMessage, DescMethod, FileRegistry } from "@bufbuild/protobuf";

/** A method that can be a tool. */
export interface ToolMethod {
  readonly descriptor: DescMethod;
  /** Knows the types that an Any may hold. */
  readonly registry: FileRegistry;
}

export type FoundMethod =
  | { readonly ok: true; readonly method: ToolMethod }
  /** `why` is a sentence. */
  | { readonly ok: false; readonly why: string };

const FULL_NAME = /^([A-Za-z_][\w.]*)\/([A-Za-z_]\w*)$/;

/** Takes "package.Service/Method" apart; `undefined` when it has another form. */
export function splitMethod(name: string): { readonly service: string; readonly method: string } | undefined {
  const [, service, method] = FULL_NAME.exec(name) ?? [];
  return service === undefined || method === undefined ? undefined : { service, method };
}

/** Finds "package.Service/Method", or says why it is none that can be called. */
export function findMethod(registry: FileRegistry, name: string): FoundMethod {
  const wanted = splitMethod(name);
  const service = wanted === undefined ? undefined : registry.getService(wanted.service);
  if (wanted === undefined || service === undefined) {
    const services = [...registry].flatMap((type) => (type.kind === "service" ? [type.typeName] : []));
    return refuse(`There is no service ${wanted?.service ?? name}. ${listed("Services", services)}`);
  }
  const descriptor = service.methods.find((method) => method.name === wanted.method);
  if (descriptor === undefined) {
    const names = service.methods.map((method) => method.name);
    return refuse(`${service.typeName} has no method ${wanted.method}. ${listed("Methods", names)}`);
  }
  if (descriptor.methodKind !== "unary") {
    return refuse(`${name} streams (${descriptor.methodKind.replaceAll("_", " ")}): only unary methods can be tools.`);
  }
  if (!isObjectInJson(descriptor.input)) {
    return refuse(`${name} takes a ${descriptor.input.typeName}, which is no object in JSON, and arguments are one.`);
  }
  return { ok: true, method: { descriptor, registry } };
}

function refuse(why: string): FoundMethod {
  return { ok: false, why };
}

const SHOWN = 8;

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return `${what}: none.`;
  return `${what}: ${names.slice(0, SHOWN).join(", ")}${names.length > SHOWN ? ", …" : ""}.`;
}

/** A Value may be an object, so it is none of these. */
const NO_OBJECTS = /^google\.protobuf\.(Timestamp|Duration|FieldMask|ListValue|\w+Value)$/;

function isObjectInJson({ typeName }: DescMessage): boolean {
  return !NO_OBJECTS.test(typeName);
}
