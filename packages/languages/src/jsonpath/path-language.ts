import type { JsonValue, PathLanguage } from "@toolgate/core";
import { JSONPathEnvironment, type JSONPathQuery } from "json-p3";
import { LRUCache } from "lru-cache";
import { MAX_STEPS } from "./budget.ts";
import { evaluate } from "./evaluate.ts";
import { FUNCTIONS } from "./functions.ts";

const CACHED_QUERIES = 1_000;
const MAX_PATH_LENGTH = 2_000;

interface Query {
  readonly query: JSONPathQuery;
  readonly isSingular: boolean;
}

/**
 * JSONPath by RFC 9535, with bounded work: `match` and `search` cannot hang,
 * and a query that would look at too many values ends with RESULT_INVALID.
 */
export function createPathLanguage(): PathLanguage {
  const environment = new JSONPathEnvironment();
  for (const name of environment.functionRegister.keys()) {
    if (!FUNCTIONS.has(name)) environment.functionRegister.delete(name);
  }
  const queries = new LRUCache<string, Query>({ max: CACHED_QUERIES });
  const compile = (path: string): Query => {
    const known = queries.get(path);
    if (known !== undefined) return known;
    const query = environment.compile(path);
    const compiled = { query, isSingular: query.singularQuery() };
    queries.set(path, compiled);
    return compiled;
  };
  return {
    inspect(path) {
      if (path.length > MAX_PATH_LENGTH) return `the path is longer than ${MAX_PATH_LENGTH} characters`;
      try {
        compile(path);
        return undefined;
      } catch (error) {
        return `${JSON.stringify(path.slice(0, 120))} is not a JSONPath (RFC 9535): ${reasonOf(error)}`;
      }
    },
    select(path, value): JsonValue | undefined {
      const { query, isSingular } = compile(path);
      const found = evaluate(query, value, { steps: MAX_STEPS });
      return isSingular ? found[0] : [...found];
    },
  };
}

function reasonOf(error: unknown): string {
  const { message = "not valid", token } = error as { message?: string; token?: { index?: number } };
  const place = token?.index === undefined ? "" : ` at character ${token.index + 1}`;
  return `${message.replace(/\s+\('.*$/s, "").replace(/\.$/, "")}${place}`;
}
