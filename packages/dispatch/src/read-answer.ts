import { type Data, type JsonValue, parseJson, type Reply, type Tool, ToolgateError } from "@toolgate/core";
import { jsonFault } from "./json-fault.ts";

type TextReply = Extract<Reply, { kind: "text" }>;

const JSON_MEDIA_TYPE = /^(application\/json|text\/json|[^;]+\+json)\s*(;|$)/i;

/** None is registered; these are what servers send: https://github.com/ndjson/ndjson-spec, https://jsonlines.org */
const NDJSON_MEDIA_TYPE = /^(application\/(x-)?(ndjson|jsonl|jsonlines)|text\/(x-)?(ndjson|jsonl))\s*(;|$)/i;

/**
 * The value of an answer that came as text, by the tool's format. With `auto`
 * the answer's media type decides, then whether the text is JSON; a mapping
 * needs JSON, so there is no falling back to text with `isMapped`.
 *
 * @throws ToolgateError RESULT_INVALID where the text is not in the format that was promised.
 */
export function readAnswer(tool: Tool, reply: TextReply, isMapped: boolean): Data {
  const { format } = tool.response;
  if (format === "text") return { value: reply.text };
  if (format === "ndjson" || (format === "auto" && NDJSON_MEDIA_TYPE.test(reply.mediaType))) {
    return { value: readLines(tool, reply) };
  }
  const isEmpty = reply.text.trim() === "";
  if (isEmpty && format === "auto" && !isMapped) return { value: null, text: "null" };
  const promised = format === "json" || isMapped || JSON_MEDIA_TYPE.test(reply.mediaType);
  try {
    return { value: parseJson(reply.text), text: reply.text };
  } catch (cause) {
    if (!promised) return { value: reply.text };
    throw new ToolgateError("RESULT_INVALID", `The answer of "${tool.name}" is not JSON: ${describe(reply)}.`, {
      cause,
    });
  }
}

/** A list of one value a line. Empty lines are passed over: most writers end with one. */
function readLines({ name }: Tool, { text }: TextReply): JsonValue[] {
  const values: JsonValue[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      values.push(parseJson(line));
    } catch (cause) {
      throw new ToolgateError(
        "RESULT_INVALID",
        `Line ${index + 1} of the answer of "${name}" is not JSON. ${jsonFault(line, cause)}`,
        { cause },
      );
    }
  }
  return values;
}

function describe(reply: TextReply): string {
  const type = reply.mediaType === "" ? "no media type" : reply.mediaType;
  if (reply.text.trim() === "") return `it is empty (${type})`;
  const start = reply.text.slice(0, 80).replace(/\s+/g, " ");
  return `${type}, beginning with ${JSON.stringify(start)}`;
}
