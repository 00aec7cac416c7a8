import { create } from "@bufbuild/protobuf";
import { type ListToolsRequest, ListToolsRequestSchema } from "@toolgate/contract";
import { nearNames } from "@toolgate/core";
import { DoorError } from "../door-error.ts";

const TEXTS = {
  toolset: "toolset",
  name: "name",
  capability: "capability",
  tag: "tag",
  query: "query",
  page_token: "pageToken",
} as const;
const KEYS = [...Object.keys(TEXTS), "include_unavailable", "page_size", "if_generation"];

/** Reads the query of `GET /v1/tools`: the fields of ListToolsRequest, by their proto names. */
export function readListQuery(query: URLSearchParams): ListToolsRequest {
  const request = create(ListToolsRequestSchema);
  for (const [key, value] of query) {
    if (Object.hasOwn(TEXTS, key)) request[TEXTS[key as keyof typeof TEXTS]] = value;
    else if (key === "include_unavailable") request.includeUnavailable = flag(key, value);
    else if (key === "page_size") request.pageSize = wholeNumber(key, value, 1_000);
    else if (key === "if_generation") request.ifGeneration = String(wholeNumber(key, value, Number.MAX_SAFE_INTEGER));
    else throw unknownKey(key);
  }
  return request;
}

function flag(key: string, value: string): boolean {
  if (value === "true" || value === "1" || value === "") return true;
  if (value === "false" || value === "0") return false;
  throw new DoorError("INVALID_ARGUMENT", `${key} must be true or false.`);
}

function wholeNumber(key: string, value: string, most: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= most) return number;
  throw new DoorError("INVALID_ARGUMENT", `${key} must be a whole number from 0 to ${most}.`);
}

function unknownKey(key: string): DoorError {
  const [near] = nearNames(key, KEYS, 1);
  const hint = near === undefined ? `Known: ${KEYS.join(", ")}.` : `Did you mean ${near}?`;
  return new DoorError("INVALID_ARGUMENT", `Unknown query parameter ${JSON.stringify(key.slice(0, 64))}. ${hint}`);
}
