import { cut, excerpt } from "../../errors/words.ts";
import { stringifyJson } from "../../json/json.ts";
import type { Coercion } from "./coerce.ts";

const MAX_TOLD = 20;
const MAX_EXCERPT = 60;
const MAX_PATH = 200;

/** The changes as warnings, one each: at most 21. */
export function describeCoercions(changes: readonly Coercion[]): readonly string[] {
  const told = changes.slice(0, MAX_TOLD).map(describe);
  const more = changes.length - told.length;
  return more === 0 ? told : [...told, `Arguments: ${more} more were changed in such ways.`];
}

function describe({ path, from, to }: Coercion): string {
  const place = `Argument ${cut(path, MAX_PATH)}`;
  const given = excerpt(stringifyJson(from), MAX_EXCERPT);
  if (to === undefined) return `${place}: ${given} was left out, since it is optional and takes no ${given}.`;
  return `${place}: ${given} was read as ${excerpt(stringifyJson(to), MAX_EXCERPT)}.`;
}
