export type Dialect = "draft-07" | "2019-09" | "2020-12";

export const DEFAULT_DIALECT: Dialect = "2020-12";
export const DIALECTS: readonly Dialect[] = ["draft-07", "2019-09", "2020-12"];

const BY_URI: Readonly<Record<string, Dialect>> = {
  // Draft-07 added keywords to draft-06 and changed none.
  "json-schema.org/draft-06/schema": "draft-07",
  "json-schema.org/draft-07/schema": "draft-07",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};

/** The dialect that `$schema` names; none means 2020-12 (MCP 2025-11-25 says the same). */
export function dialectOf(schema: unknown): Dialect | undefined {
  const named = typeof schema === "object" && schema !== null ? (schema as { $schema?: unknown }).$schema : undefined;
  if (named === undefined) return DEFAULT_DIALECT;
  if (typeof named !== "string") return undefined;
  const uri = named.replace(/^https?:\/\//, "").replace(/#$/, "");
  return Object.hasOwn(BY_URI, uri) ? BY_URI[uri] : undefined;
}
