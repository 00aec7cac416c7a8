import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { RegisterRequestSchema, type ToolDefinitionSchema } from "@toolgate/contract";

/** What Register takes at a time here; the rpc's own bound is higher, a message's size is the usual one. */
export const BATCH = 1_000;

/** The first `count` tools of the catalogue, in toolsets of a thousand. Each has a schema of its own, some 400 bytes. */
export function registerRequests(from: number, to: number) {
  const requests = [];
  for (let start = from; start < to; start += BATCH) {
    const tools = Array.from({ length: Math.min(BATCH, to - start) }, (_, place) => definition(start + place));
    const toolset = `catalogue_${start / BATCH}`;
    requests.push(
      create(RegisterRequestSchema, {
        toolset,
        tools,
        instanceId: `${toolset}_1`,
        lease: { seconds: 3_600n },
        leaseSecret: "the secret of the bench's own provider",
      }),
    );
  }
  return requests;
}

function definition(number: number): MessageInitShape<typeof ToolDefinitionSchema> {
  const name = `catalogue_${String(number).padStart(5, "0")}`;
  return {
    name,
    description: `Looks up item ${number} of the catalogue, with its price and how many are left.`,
    tags: ["catalogue"],
    inputSchema: JSON.stringify({
      type: "object",
      title: name,
      properties: {
        item: { type: "string", minLength: 1, maxLength: 100, description: "The item's number or name." },
        region: { type: "string", enum: ["eu", "us", "asia"], description: "Where it would be sent to." },
        quantity: { type: "integer", minimum: 1, maximum: 1000, default: 1 },
        currency: { type: "string", pattern: "^[A-Z]{3}$" },
      },
      required: ["item"],
      additionalProperties: false,
    }),
    annotations: { readOnly: true, idempotent: true },
    backend: { case: "http", value: { endpoint: `http://127.0.0.1:9/items/${number}`, method: "GET" } },
  };
}
