import { ToolgateClientError } from "../../client-error.ts";
import type { Shape } from "../shapes.ts";

/** A call as a model wrote it. */
export interface ModelCall {
  /** The provider's; Gemini does not always give one. */
  readonly id: string | undefined;
  /** The tool's name, as it was declared to the model. */
  readonly name: string;
  /** An object where the provider parsed it already, else the text as the model wrote it. */
  readonly args: object | string;
}

/** What the model is told of a call. */
export interface Reply {
  readonly call: ModelCall;
  /** The result as JSON, or {"error": …}. */
  readonly json: string;
  readonly isError: boolean;
  /** Whether the gateway cut the result. */
  readonly isCut: boolean;
}

/** A reply as text: a result that is a text comes without quotes and escapes, which models read more easily. */
export function replyText({ json, isCut }: Reply): string {
  const text = json.startsWith('"') && json !== '""' ? (JSON.parse(json) as string) : json;
  return isCut ? `${text}\n(The result was cut here.)` : text;
}

/** Reads calls from a model's answer, and writes what is sent back. */
export interface AnswerFormat<Message> {
  /** @throws ToolgateClientError INVALID_ARGUMENT where the answer has another form. */
  read(answer: unknown): readonly ModelCall[];
  /** No message where there are no replies. */
  write(replies: readonly Reply[]): Message[];
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What the model gave: an object, or text. Nothing at all, as models write for tools without arguments, is an empty object. */
export function argsOf(value: unknown): object | string {
  if (typeof value === "string" && value.trim() !== "") return value;
  return typeof value === "object" && value !== null ? value : {};
}

export function notAnAnswer(shape: Shape, expected: string): ToolgateClientError {
  const message = `This is no answer of the shape "${shape}": expected ${expected}.`;
  return new ToolgateClientError("INVALID_ARGUMENT", message, { mayHaveRun: false });
}
