import {
  type DefinitionProblem,
  isJsonObject,
  type JsonValue,
  jsonTypeOf,
  settingsPath,
  stringifyJson,
} from "@toolgate/core";
import { badArgument } from "./bad-argument.ts";
import { appendPairs, encodeText } from "./encode.ts";
import { problemOfFixedHeader } from "./header-rules.ts";
import { statedContentType } from "./headers.ts";
import type { Routing } from "./routes.ts";
import type { HttpSettings } from "./settings.ts";

/** How the body of a tool's requests is written. */
export interface BodyPlan {
  readonly kind: "json" | "form" | "text";
  readonly contentType: string;
  /** The argument that is the whole body. */
  readonly whole: string | undefined;
  /** Whether the schema names an argument for the body: then there is one, if only `{}`. */
  readonly declared: boolean;
  /** Whether the arguments as they came are the body. */
  readonly passesText: boolean;
}

/** The arguments that go into the body, under their names there. */
export type BodyMember = readonly [name: string, value: JsonValue];

const JSON_TYPE = /^(application|text)\/json$|\+json$/;
const FORM_TYPE = "application/x-www-form-urlencoded";

export function planBody(
  settings: HttpSettings,
  routing: Routing,
): { readonly body: BodyPlan; readonly problems: readonly DefinitionProblem[] } {
  const contentType = statedContentType(settings) ?? "application/json";
  const whole = settings.body_argument;
  const kind = kindOf(contentType);
  const routes = [...routing.routes];
  const body: BodyPlan = {
    kind,
    contentType,
    whole,
    declared: routes.some(([, route]) => route.place === "body"),
    passesText:
      kind === "json" &&
      whole === undefined &&
      routing.fallback === "body" &&
      routes.every(([name, route]) => route.place === "body" && route.name === name),
  };
  return { body, problems: problemsOf(body, routing) };
}

function kindOf(contentType: string): BodyPlan["kind"] {
  const essence = (contentType.split(";")[0] as string).trim().toLowerCase();
  if (JSON_TYPE.test(essence)) return "json";
  return essence === FORM_TYPE ? "form" : "text";
}

function problemsOf(body: BodyPlan, routing: Routing): DefinitionProblem[] {
  const path = settingsPath("content_type");
  const problem = problemOfFixedHeader("content-type", body.contentType);
  if (problem !== undefined) return [{ path, message: `The content type cannot be sent: ${problem}.` }];
  if (!/^[^/\s;]+\/[^/\s;]+\s*(;.*)?$/.test(body.contentType)) {
    return [{ path, message: "The content type is not a media type such as application/json." }];
  }
  if (body.kind !== "text" || body.whole !== undefined) return [];
  if (!body.declared && routing.fallback !== "body") return [];
  return [
    {
      path,
      message: `Arguments cannot be written as "${body.contentType}". Use JSON or ${FORM_TYPE}, or name the one argument that is the body in "body_argument".`,
    },
  ];
}

/** Writes the body; `undefined` where there is none. */
export function writeBody(plan: BodyPlan, members: readonly BodyMember[], tool: string): string | undefined {
  if (plan.whole !== undefined) return writeWhole(plan, members[0], tool);
  if (members.length === 0 && !plan.declared) return undefined;
  return plan.kind === "form" ? formOf(members) : jsonOf(members);
}

function writeWhole(plan: BodyPlan, member: BodyMember | undefined, tool: string): string | undefined {
  if (member === undefined) return undefined;
  const [name, value] = member;
  if (plan.kind === "json") return stringifyJson(value);
  if (typeof value === "string") return value;
  if (plan.kind === "form" && isJsonObject(value)) return formOf(Object.entries(value));
  throw badArgument(tool, {
    name,
    expected: plan.kind === "form" ? "an object or text" : `text, to be sent as ${plan.contentType}`,
    got: jsonTypeOf(value),
  });
}

/** Written member by member: a name such as `__proto__` is then a name like any other. */
function jsonOf(members: readonly BodyMember[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${stringifyJson(value)}`).join(",")}}`;
}

function formOf(members: readonly BodyMember[]): string {
  return members.reduce((form, [name, value]) => appendPairs(form, encodeText(name), value), "").replaceAll("%20", "+");
}
