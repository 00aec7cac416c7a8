import { type JsonValue, parseJson } from "../../json.ts";
import type { PlainJson } from "../plain-schema.ts";
import { type AnswerFormat, argsOf, fieldsOf, notAnAnswer, type Reply, textOf } from "./model-call.ts";

/** Answers all calls of a turn at once. */
export interface GeminiContent {
  role: "user";
  parts: GeminiResponsePart[];
}

export interface GeminiResponsePart {
  functionResponse: {
    /** Only where the call had one. */
    id?: string;
    name: string;
    /** `output` holds the result, `error` what went wrong. */
    response: { output: PlainJson; is_cut?: boolean } | { error: PlainJson };
  };
}

/** A response, one of its contents, or the parts of one. */
export const geminiAnswer: AnswerFormat<GeminiContent> = {
  read(answer) {
    return partsOf(answer)
      .map((part) => fieldsOf(part).functionCall)
      .filter((called) => called !== undefined && called !== null)
      .map(fieldsOf)
      .map(({ id, name, args }) => ({ id: textOf(id) || undefined, name: textOf(name), args: argsOf(args) }));
  },
  write(replies) {
    return replies.length === 0 ? [] : [{ role: "user", parts: replies.map(responsePart) }];
  },
};

function partsOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  const { candidates, content, parts, role } = fieldsOf(answer);
  if (Array.isArray(parts)) return parts;
  // An answer that was blocked has no content, and a content of nothing no parts.
  if (Array.isArray(candidates)) return candidates.length === 0 ? [] : partsOf(fieldsOf(candidates[0]).content ?? []);
  if (content !== undefined) return partsOf(content);
  if (role !== undefined) return [];
  throw notAnAnswer("gemini", "a response, one of its contents, or the parts of one");
}

/** A response is a value and no text, so integers beyond 2^53 come as strings of digits. */
function responsePart({ call, json, isError, isCut }: Reply): GeminiResponsePart {
  const value = withoutBigints(parseJson(json));
  const response = isError ? (value as { error: PlainJson }) : { output: value, ...(isCut ? { is_cut: isCut } : {}) };
  return { functionResponse: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, response } };
}

function withoutBigints(value: JsonValue): PlainJson {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigints);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutBigints(part)]));
}
