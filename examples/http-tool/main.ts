import assert from "node:assert/strict";
import { createClient } from "@toolgate/client";
import { startExampleGateway } from "@toolgate/gateway/example";
import { startOrders } from "./orders-service.ts";

const service = await startOrders();
process.env.ORDERS_URL = service.url;
const gateway = await startExampleGateway({ toolsDir: `${import.meta.dirname}/tools` });
const client = createClient({ address: gateway.grpc });

// An order is placed. The default of `count` comes from the tool's schema.
const placed = await client.call("create_order", { sku: "lamp" });
assert(placed.status === "success");
assert.deepEqual(placed.data, { id: 1, sku: "lamp", count: 1 });

// It is read back, in the names that the tool's owner chose.
const read = await client.call("get_order", { id: 1 });
assert(read.status === "success");
assert.deepEqual(read.data, { number: 1, items: ["lamp"], total: 5 });

// A wrong argument is refused with its place, and reaches no service.
const wrong = await client.call("create_order", { sku: "lamp", count: 0 });
assert(wrong.status === "error");
assert.equal(wrong.error.code, "INVALID_ARGUMENT");
assert.deepEqual(wrong.error.violations, [{ path: "/count", expected: "at least 1", got: "integer 0" }]);

// The service's own error is readable.
const none = await client.call("get_order", { id: 7 });
assert(none.status === "error");
assert.equal(none.error.code, "TOOL_ERROR");
assert.equal(none.error.backendAnswer?.status, "404");

// The service takes an order and hangs up. The order is there once, and nobody claims to know.
service.lose = true;
const lost = await client.call("create_order", { sku: "desk" });
assert(lost.status === "error");
assert.equal(lost.error.code, "OUTCOME_UNKNOWN");
assert.equal(service.orders.filter(({ sku }) => sku === "desk").length, 1);

client.close();
await gateway.stop();
service.close();
console.log("http-tool: ok");
