import type { JsonObject } from "@toolgate/core";

const INT_64_TEXT = "^-?[0-9]{1,20}$";

/** The JSON of the types whose mapping is their own (protobuf.dev, "ProtoJSON Format"), by full name. */
export const WELL_KNOWN_SCHEMAS: Readonly<Record<string, JsonObject | undefined>> = {
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string", description: "Such as type.googleapis.com/package.Message" } },
    required: ["@type"],
  },
  "google.protobuf.BoolValue": { type: ["boolean", "null"] },
  "google.protobuf.BytesValue": { type: ["string", "null"], contentEncoding: "base64" },
  "google.protobuf.DoubleValue": { type: ["number", "null"] },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$", description: 'Such as "1.5s"' },
  "google.protobuf.FieldMask": { type: "string", description: 'Field names with commas: "a,b.c"' },
  "google.protobuf.FloatValue": { type: ["number", "null"] },
  "google.protobuf.Int32Value": { type: ["integer", "null"] },
  "google.protobuf.Int64Value": { type: ["integer", "string", "null"], pattern: INT_64_TEXT },
  "google.protobuf.ListValue": { type: "array" },
  "google.protobuf.StringValue": { type: ["string", "null"] },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.UInt32Value": { type: ["integer", "null"], minimum: 0 },
  "google.protobuf.UInt64Value": { type: ["integer", "string", "null"], pattern: INT_64_TEXT },
  "google.protobuf.Value": {},
};
