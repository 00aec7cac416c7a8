import { expect } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { callHttp, testGateway } from "./harness/gateway.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { httpBackend, json } from "./harness/http-backend.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { httpTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

const LIST = { type: "object", properties: { ids: { type: "array" }, lang: { type: "string" } }, required: ["ids"] };

/** A backend that knows users by their ids, refuses lists with 13 in them, and says what is wrong with 404. */
async function users(keys: Readonly<Record<string, unknown>> = {}) {
  const lists: number[][] = [];
  const backend = await httpBackend(({ body }) => {
    const { ids } = JSON.parse(body) as { ids: number[] };
    lists.push(ids);
    if (ids.includes(13)) return json({ error: "13 is no id" }, 400);
    return json({
      found: ids.map((id) => (id === 404 ? { id, error: "no such user" } : { id, name: `user ${id}` })).reverse(),
    });
  });
  const file = httpTool("users", `${backend.url}/users`, {
    method: "POST",
    input_schema: LIST,
    annotations: { read_only: true },
    // Long enough for the slowest machine to get all calls of a test into one window.
    batch: { param: "ids", max_items: 10, window: "1s", results: "/found", key: "id", error: "error" },
    ...keys,
  });
  const gateway = await testGateway({ tools: { "users.yaml": file } });
  return { lists, gateway, grpc: grpcClient(gateway.grpc) };
}

verifies("batch.together", "through both doors: one backend call, and each caller gets its own part", async () => {
  const { lists, gateway, grpc } = await users({
    response: { mapping: { names: "$.found[*].name" } },
    batch: { param: "ids", max_items: 4, window: "1s", results: "/found", key: "id" },
  });
  const [first, second, http] = await Promise.all([
    callGrpc(grpc, asText("users", { ids: [1] })),
    callGrpc(grpc, asText("users", { ids: [2, 3] })),
    callHttp(gateway, { tool: "users", params: { ids: [4] } }),
  ]);
  expect(lists).toEqual([expect.any(Array)]);
  expect(lists[0]?.toSorted()).toEqual([1, 2, 3, 4]);
  expect(first).toMatchObject({ payload: { value: '{"names":["user 1"]}' }, meta: { attempts: 1 } });
  expect(JSON.parse(String(second.payload.value)).names.toSorted()).toEqual(["user 2", "user 3"]);
  expect(http.envelope).toMatchObject({ data: { names: ["user 4"] } });
  const samples = await readMetrics(gateway.admin);
  expect(total(samples, "toolgate_batches_total", { tool: "users" })).toBe(1);
  expect(total(samples, "toolgate_batched_calls_total", { tool: "users" })).toBe(3);
  expect(total(samples, "toolgate_calls_total", { tool: "users", outcome: "success" })).toBe(3);
});

verifies("batch.bounds", "a full batch goes at once, and the window ends the others", async () => {
  const { lists, grpc } = await users({
    batch: { param: "ids", max_items: 2, window: "20ms", results: "/found", key: "id" },
  });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => callGrpc(grpc, asText("users", { ids: [id] }))));
  answers.forEach((answer, place) => {
    expect(JSON.parse(String(answer.payload.value))).toEqual({ found: [{ id: place + 1, name: `user ${place + 1}` }] });
  });
  for (const list of lists) expect(list.length).toBeLessThanOrEqual(2);
  expect(lists.flat().toSorted()).toEqual([1, 2, 3, 4, 5]);
});

verifies("batch.one-fails", "what the tool says of one item, and a list that it refuses because of one", async () => {
  const { lists, grpc } = await users({
    batch: { param: "ids", max_items: 3, window: "1s", results: "/found", key: "id", error: "error" },
  });
  const ask = (ids: number[]) => Promise.all(ids.map((id) => callGrpc(grpc, asText("users", { ids: [id] }))));
  const [one, missing, two] = await ask([1, 404, 2]);
  expect(lists).toHaveLength(1);
  expect(missing?.error).toMatchObject({ code: "TOOL_ERROR", message: '"users" failed for this call: no such user' });
  for (const answer of [one, two]) expect(answer?.error).toBeUndefined();
  const [three, refused, four] = await ask([3, 13, 4]);
  expect(refused?.error).toMatchObject({ code: "TOOL_ERROR" });
  for (const answer of [three, four]) expect(answer?.error).toBeUndefined();
  // Once together, then each alone.
  expect(lists).toHaveLength(1 + 1 + 3);
});

verifies("batch.apart", "calls that differ in another parameter, and a tool that says nothing", async () => {
  const { lists, grpc } = await users({
    batch: { param: "ids", window: "20ms", results: "/found", key: "id" },
  });
  await Promise.all([
    callGrpc(grpc, asText("users", { ids: [1], lang: "en" })),
    callGrpc(grpc, asText("users", { ids: [2], lang: "zh" })),
  ]);
  expect(lists.toSorted()).toEqual([[1], [2]]);
});
