import assert from "node:assert/strict";
import { createClient } from "@toolgate/client";
import { startExampleGateway } from "@toolgate/gateway/example";
import { startUnitsService } from "./units-service.ts";

const service = await startUnitsService();
process.env.UNITS_TARGET = service.address;
const gateway = await startExampleGateway({ toolsDir: `${import.meta.dirname}/tools` });
const client = createClient({ address: gateway.grpc });

// The schema that agents see was made from the proto.
const { tools } = await client.listTools({ name: "convert_temperature" });
assert.match(tools[0]?.inputSchemaText ?? "", /SCALE_FAHRENHEIT/);

const boiling = await client.call("convert_temperature", {
  degrees: 100,
  from: "SCALE_CELSIUS",
  to: "SCALE_FAHRENHEIT",
});
assert(boiling.status === "success");
assert.deepEqual(boiling.data, { degrees: 212 });

// A scale that the service does not have reaches no service.
const wrong = await client.call("convert_temperature", { degrees: 1, from: "SCALE_REAUMUR", to: "SCALE_KELVIN" });
assert(wrong.status === "error");
assert.equal(wrong.error.code, "INVALID_ARGUMENT");
assert.equal(service.calls(), 1);

// The service's own error is readable.
const refused = await client.call("convert_temperature", { degrees: 1 });
assert(refused.status === "error");
assert.equal(refused.error.code, "TOOL_ERROR");
assert.equal(refused.error.backendAnswer?.status, "INVALID_ARGUMENT");

client.close();
await gateway.stop();
service.close();
console.log("grpc-service: ok");
