import type { Backend, Invocation, JsonObject, Reply, Tool } from "@toolgate/core";
import { ToolgateError } from "@toolgate/core";
import { anInvocation } from "@toolgate/testkit/backend-suite";

type TextReply = Extract<Reply, { kind: "text" }>;

/** The reply of a call that must answer with text. */
export async function textOf(backend: Backend, tool: Tool, args: JsonObject = {}): Promise<TextReply> {
  const reply = await backend.invoke(anInvocation(tool, args));
  if (reply.kind !== "text") throw new Error(`not text: ${reply.kind}`);
  return reply;
}

/** The error of a call that must fail. */
export async function errorOf(
  backend: Backend,
  tool: Tool,
  args: JsonObject = {},
  changes: Partial<Invocation> = {},
): Promise<ToolgateError> {
  const thrown = await backend.invoke(anInvocation(tool, args, changes)).then(
    (reply) => new Error(`the call did not fail: ${JSON.stringify(reply)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof ToolgateError) return thrown;
  throw thrown;
}
