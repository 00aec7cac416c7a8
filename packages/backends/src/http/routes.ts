import { type DefinitionProblem, settingsPath } from "@toolgate/core";
import { encodeText } from "./encode.ts";
import { defaultPlace, type HttpSettings } from "./settings.ts";
import type { Template } from "./template.ts";

/** Where one argument goes. */
export type Route =
  | { readonly place: "path"; readonly slots: readonly number[] }
  | { readonly place: "query"; readonly encodedKey: string }
  | { readonly place: "header"; readonly name: string }
  | { readonly place: "body"; readonly name: string };

export interface Routing {
  readonly routes: ReadonlyMap<string, Route>;
  readonly fallback: "query" | "body";
  /** Destinations that are spoken for; see {@link destinationOf}. */
  readonly taken: ReadonlyMap<string, string>;
  readonly problems: readonly DefinitionProblem[];
}

/**
 * Decides for each argument that is known beforehand: as `locations` say,
 * else into the placeholder of its name, else to the default place.
 *
 * @param properties the arguments that the input schema names; `undefined`
 * where it names none, and then any argument may come.
 */
export function routeArguments(
  settings: HttpSettings,
  template: Template,
  properties: readonly string[] | undefined,
): Routing {
  const router = new Router(settings, template);
  const named = new Set([...Object.keys(settings.locations), ...Object.keys(settings.names)]);
  if (settings.body_argument !== undefined) named.add(settings.body_argument);
  if (properties !== undefined) router.refuseUnknown(named, properties);
  // Arguments with a stated place first: they have the better claim on a placeholder.
  for (const name of named) router.route(name);
  for (const name of properties ?? router.openPlaceholders()) router.route(name);
  router.finish();
  return router;
}

class Router implements Routing {
  readonly routes = new Map<string, Route>();
  readonly problems: DefinitionProblem[] = [];
  readonly fallback: "query" | "body";
  readonly taken = new Map<string, string>();
  readonly #settings: HttpSettings;
  readonly #template: Template;

  constructor(settings: HttpSettings, template: Template) {
    this.#settings = settings;
    this.#template = template;
    this.fallback = defaultPlace(settings);
    for (const encodedKey of template.queryKeys) {
      this.taken.set(destinationOf({ place: "query", encodedKey }), "the endpoint's own query");
    }
  }

  refuseUnknown(named: ReadonlySet<string>, properties: readonly string[]): void {
    for (const name of named) {
      if (properties.includes(name)) continue;
      this.#problem([], `The settings name an argument "${name}", which the input schema does not have.`);
    }
  }

  route(name: string): void {
    if (this.routes.has(name)) return;
    const route = this.#routeOf(name);
    if (route === undefined) return;
    this.routes.set(name, route);
    const destination = destinationOf(route);
    const other = this.taken.get(destination);
    if (other !== undefined) {
      const what = `The argument "${name}" goes to the same place as ${other}`;
      this.#problem(["locations"], `${what}. Rename one in "names".`);
    }
    this.taken.set(destination, `the argument "${name}"`);
  }

  openPlaceholders(): string[] {
    const { slots, queryPlaceholders } = this.#template;
    const inPath = slots.filter((name) => this.#openSlots(name).length > 0);
    const inQuery = queryPlaceholders.filter(
      ({ encodedKey }) => !this.taken.has(destinationOf({ place: "query", encodedKey })),
    );
    return [...new Set([...inPath, ...inQuery.map(({ name }) => name)])];
  }

  /** Each placeholder needs its argument. */
  finish(): void {
    for (const name of this.openPlaceholders()) {
      this.#problem(["endpoint"], `The endpoint has {${name}}, but the tool has no argument that goes there.`);
    }
  }

  #routeOf(name: string): Route | undefined {
    const { locations, names, body_argument } = this.#settings;
    const wire = Object.hasOwn(names, name) ? (names[name] as string) : name;
    const stated = Object.hasOwn(locations, name) ? locations[name] : undefined;
    if (name === body_argument) return this.#wholeBody(name, stated);
    if (stated === "path") return this.#intoPath(name, wire);
    if (stated === "header") return { place: "header", name: wire };
    if (stated === "body") return this.#intoBody(name, wire);
    if (stated === "query") return { place: "query", encodedKey: this.#queryKey(wire) };
    return this.#byDefault(wire);
  }

  #byDefault(wire: string): Route {
    const slots = this.#openSlots(wire);
    if (slots.length > 0) return { place: "path", slots };
    const placeholder = this.#template.queryPlaceholders.find(({ name }) => name === wire);
    if (placeholder !== undefined) return { place: "query", encodedKey: placeholder.encodedKey };
    return this.fallback === "body" ? { place: "body", name: wire } : { place: "query", encodedKey: encodeText(wire) };
  }

  #intoPath(name: string, wire: string): Route | undefined {
    const slots = this.#openSlots(wire);
    if (slots.length > 0) return { place: "path", slots };
    this.#problem(
      ["locations", name],
      `The argument "${name}" goes into the path, but the endpoint has no free {${wire}}.`,
    );
    return undefined;
  }

  #intoBody(name: string, wire: string): Route | undefined {
    const { body_argument, method } = this.#settings;
    if (body_argument !== undefined) {
      this.#problem(
        ["locations", name],
        `The body is the argument "${body_argument}" alone; "${name}" cannot go there too.`,
      );
      return undefined;
    }
    if (method === "HEAD") this.#problem(["locations", name], "A HEAD request has no body.");
    return { place: "body", name: wire };
  }

  #wholeBody(name: string, stated: string | undefined): Route {
    if (stated !== undefined && stated !== "body") {
      this.#problem(["locations", name], `"${name}" is the whole body, so it cannot go into the ${stated} too.`);
    }
    if (this.#settings.method === "HEAD") this.#problem(["body_argument"], "A HEAD request has no body.");
    return { place: "body", name };
  }

  /** Where the placeholder stands, unless another argument has it already. */
  #openSlots(wire: string): number[] {
    const slots = this.#template.slots.flatMap((name, slot) => (name === wire ? [slot] : []));
    return this.taken.has(destinationOf({ place: "path", slots })) ? [] : slots;
  }

  #queryKey(wire: string): string {
    return this.#template.queryPlaceholders.find(({ name }) => name === wire)?.encodedKey ?? encodeText(wire);
  }

  #problem(parts: readonly string[], message: string): void {
    this.problems.push({ path: settingsPath(...parts), message });
  }
}

/** Equal for routes that would write to the same place. */
export function destinationOf(route: Route): string {
  switch (route.place) {
    case "path":
      return `path ${route.slots[0]}`;
    case "query":
      return `query ${route.encodedKey}`;
    case "header":
      return `header ${route.name.toLowerCase()}`;
    case "body":
      return `body ${route.name}`;
  }
}
