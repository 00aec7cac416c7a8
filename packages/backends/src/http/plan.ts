import { type DefinitionProblem, isJsonObject, type Planning, settingsPath, type ToolDefinition } from "@toolgate/core";
import { type BodyPlan, planBody } from "./body.ts";
import { planHeaders } from "./headers.ts";
import { type Route, routeArguments } from "./routes.ts";
import { type HttpMethod, type HttpSettings, readSettings } from "./settings.ts";
import { parseTemplate, type Template } from "./template.ts";

/** All that can be worked out about a tool's request before there is a call. */
export interface HttpPlan {
  readonly method: HttpMethod;
  readonly template: Template;
  /** By argument. */
  readonly routes: ReadonlyMap<string, Route>;
  /** For arguments that have no route. */
  readonly fallback: "query" | "body";
  /** Destinations that those must leave alone. */
  readonly taken: ReadonlyMap<string, string>;
  /** Name, value, name, value, …; without what only a body needs. */
  readonly headers: readonly string[];
  readonly idempotencyHeader: string | undefined;
  readonly body: BodyPlan;
}

/** Plans the request of an http tool, or says what is wrong with its definition. Never throws. */
export function planTool(definition: ToolDefinition): Planning<HttpPlan> {
  const settings = readSettings(definition.backend?.settings ?? {});
  if (isProblems(settings)) return { problems: settings };
  const template = parseTemplate(settings.endpoint, settings.path);
  if (typeof template === "string") {
    return { problems: [{ path: settingsPath("endpoint"), message: `The endpoint cannot be used: ${template}.` }] };
  }
  return planRequest(settings, template, propertiesOf(definition));
}

function planRequest(
  settings: HttpSettings,
  template: Template,
  properties: readonly string[] | undefined,
): Planning<HttpPlan> {
  const routing = routeArguments(settings, template, properties);
  const headers = planHeaders(settings, routing.routes);
  const body = planBody(settings, routing);
  const problems = [...routing.problems, ...headers.problems, ...body.problems];
  if (problems.length > 0) return { problems };
  return {
    problems,
    plan: {
      method: settings.method,
      template,
      routes: routing.routes,
      fallback: routing.fallback,
      taken: routing.taken,
      headers: headers.headers,
      idempotencyHeader: settings.idempotency_header,
      body: body.body,
    },
  };
}

function isProblems(read: HttpSettings | readonly DefinitionProblem[]): read is readonly DefinitionProblem[] {
  return Array.isArray(read);
}

/** The arguments that the input schema names; `undefined` where it names none. */
function propertiesOf(definition: ToolDefinition): readonly string[] | undefined {
  const schema = definition.inputSchema?.value;
  if (typeof schema !== "object") return undefined;
  return isJsonObject(schema.properties) ? Object.keys(schema.properties) : undefined;
}
