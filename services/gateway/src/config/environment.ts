import { z } from "zod";
import { gatewaySchema } from "./schema.ts";

/** A setting that the environment may override, such as TOOLGATE_LISTEN_GRPC for listen.grpc. */
export interface EnvironmentSetting {
  readonly variable: string;
  readonly path: readonly string[];
  readonly schema: z.ZodType;
}

const PREFIX = "TOOLGATE_";
/** Read by the command line, not settings of the gateway. */
const OTHERS = new Set(["TOOLGATE_GATEWAY", "TOOLGATE_API_KEY", "TOOLGATE_CONFIG"]);
/** What Kubernetes adds for a service that is called "toolgate"; of a bare port only its value tells. */
const KUBERNETES = /^TOOLGATE_(?:.*_)?(?:SERVICE_HOST|SERVICE_PORT(?:_.*)?|PORT_\d+_(?:TCP|UDP)(?:_.*)?)$/;
const KUBERNETES_PORT = /^(?:tcp|udp):\/\//;

/** Every setting by its variable: the path in capitals, joined by underscores. */
export function environmentSettings(): readonly EnvironmentSetting[] {
  return settingsOf(gatewaySchema, []);
}

function settingsOf(schema: z.ZodType, path: readonly string[]): EnvironmentSetting[] {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  if (!(inner instanceof z.ZodObject))
    return [{ variable: PREFIX + path.join("_").toUpperCase(), path, schema: inner }];
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, part]) =>
    settingsOf(part, [...path, key]),
  );
}

export interface Overridden {
  readonly value: Record<string, unknown>;
  /** What is wrong, naming the variable. A key that stands where its hash should is not repeated. */
  readonly problems: readonly string[];
  /** Variables with our prefix that mean nothing. */
  readonly unknown: readonly string[];
}

/** Puts the environment's settings over those of the file. Lists and maps are written as JSON. */
export function overrideFromEnvironment(
  base: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
): Overridden {
  const settings = environmentSettings();
  const problems: string[] = [];
  let value = base;
  for (const { variable, path, schema } of settings) {
    const text = env[variable];
    if (text === undefined) continue;
    const parsed = parse(schema, text);
    if (parsed.ok) value = withValue(value, path, parsed.value);
    else problems.push(`The environment variable ${variable}: ${parsed.message}`);
  }
  const known = new Set(settings.map(({ variable }) => variable));
  const unknown = Object.keys(env).filter((name) => {
    return name.startsWith(PREFIX) && !known.has(name) && !OTHERS.has(name) && !isOfKubernetes(name, env[name]);
  });
  return { value, problems, unknown };
}

function isOfKubernetes(name: string, value = ""): boolean {
  return KUBERNETES.test(name) || (name.endsWith("_PORT") && KUBERNETES_PORT.test(value));
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** As text where the setting is a text, else as JSON. */
function parse(schema: z.ZodType, text: string): Parsed {
  const asText = schema.safeParse(text);
  if (asText.success) return { ok: true, value: asText.data };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const needsJson = asText.error.issues[0]?.code === "invalid_type";
    return { ok: false, message: needsJson ? "Expected JSON text, and it is not valid JSON." : sentence(asText.error) };
  }
  const asJson = schema.safeParse(json);
  return asJson.success ? { ok: true, value: asJson.data } : { ok: false, message: sentence(asJson.error) };
}

/** The first thing wrong, with its place where that is inside. */
function sentence({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "It is not valid.";
  const place = issue.path.length === 0 ? "" : `at ${issue.path.join(".")}: `;
  return `${place}${issue.message.replace(/\.$/, "")}.`;
}

function withValue(base: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return { ...base, [key]: value };
  return { ...base, [key]: withValue((base[key] ?? {}) as Record<string, unknown>, rest, value) };
}
