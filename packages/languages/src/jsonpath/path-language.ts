import type { JsonValue, PathLanguage } from "@toolgate/core";
import { FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery, type JSONValue } from "json-p3";
import { LRUCache } from "lru-cache";
import { SafePatterns } from "./safe-functions.ts";

const CACHED_QUERIES = 1_000;
const MAX_PATH_LENGTH = 2_000;
const MAX_DEPTH = 200;

/** JSONPath by RFC 9535, with `match` and `search` that cannot hang. */
export function createPathLanguage(): PathLanguage {
  const environment = createEnvironment();
  const queries = new LRUCache<string, JSONPathQuery>({ max: CACHED_QUERIES });
  const compile = (path: string): JSONPathQuery => {
    const query = queries.get(path) ?? environment.compile(path);
    queries.set(path, query);
    return query;
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
    select(path, value) {
      const query = compile(path);
      const found = query.query(value as JSONValue).values() as JsonValue[];
      return query.singularQuery() ? found[0] : found;
    },
  };
}

function createEnvironment(): JSONPathEnvironment {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH });
  const patterns = new SafePatterns();
  const text = [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType];
  const returnType = FunctionExpressionType.LogicalType;
  environment.functionRegister.set("match", {
    argTypes: text,
    returnType,
    call: (value, pattern) => patterns.matches(value, pattern),
  });
  environment.functionRegister.set("search", {
    argTypes: text,
    returnType,
    call: (value, pattern) => patterns.searches(value, pattern),
  });
  return environment;
}

function reasonOf(error: unknown): string {
  const { message = "not valid", token } = error as { message?: string; token?: { index?: number } };
  const place = token?.index === undefined ? "" : ` at character ${token.index + 1}`;
  return `${message.replace(/\s+\('.*$/s, "").replace(/\.$/, "")}${place}`;
}
