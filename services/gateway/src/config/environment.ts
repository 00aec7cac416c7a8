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
/** What Kubernetes adds for a service that is called "toolgate". */
const KUBERNETES = /^TOOLGATE_(?:.*_)?(SERVICE_HOST|SERVICE_PORT.*|PORT|PORT_\d+_TCP.*)$/;

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
  /** What is wrong, naming the variable; never its value. */
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
    if (parsed.success) value = withValue(value, path, parsed.data);
    else problems.push(`The environment variable ${variable}: ${parsed.error.issues[0]?.message ?? "is not valid"}.`);
  }
  const known = new Set(settings.map(({ variable }) => variable));
  const unknown = Object.keys(env).filter((name) => {
    return name.startsWith(PREFIX) && !known.has(name) && !OTHERS.has(name) && !KUBERNETES.test(name);
  });
  return { value, problems, unknown };
}

/** As text where the setting is a text, else as JSON. */
function parse(schema: z.ZodType, text: string) {
  const asText = schema.safeParse(text);
  if (asText.success) return asText;
  try {
    return schema.safeParse(JSON.parse(text));
  } catch {
    return asText;
  }
}

function withValue(base: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return { ...base, [key]: value };
  return { ...base, [key]: withValue((base[key] ?? {}) as Record<string, unknown>, rest, value) };
}
