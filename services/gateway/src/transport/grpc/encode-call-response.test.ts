import { create, type DescField, type DescMessage, fromJson, type Message, toBinary } from "@bufbuild/protobuf";
import { type ReflectList, reflect } from "@bufbuild/protobuf/reflect";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { CallMetaSchema, CallResponseSchema, EnvelopeSchema } from "@toolgate/contract";
import * as fc from "fast-check";
import { assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeCallResponse } from "./encode-call-response.ts";

function expectSameBytes(message: Parameters<typeof encodeCallResponse>[0]): void {
  expect(encodeCallResponse(message).toString("hex")).toBe(
    Buffer.from(toBinary(CallResponseSchema, message)).toString("hex"),
  );
}

/** A message with a value in every field of the descriptor: a new field that is not written shows. */
function filled(schema: DescMessage, oneof = 0): Message {
  const message = create(schema);
  const fields = reflect(schema, message);
  const chosen = schema.oneofs.filter((group) => group.fields.length > 1).map((group) => group.fields[oneof]);
  for (const field of schema.fields) {
    if (field.oneof !== undefined && field.oneof.fields.length > 1 && !chosen.includes(field)) continue;
    if (field.fieldKind === "list") {
      const list = fields.get(field) as ReflectList;
      list.add(sampleOf(field) as never);
      list.add(sampleOf(field) as never);
    } else if (field.fieldKind !== "map") {
      fields.set(field, sampleOf(field) as never);
    }
  }
  return message;
}

function sampleOf(field: DescField): unknown {
  const inner = field.fieldKind === "list" ? field.listKind : field.fieldKind;
  if (inner === "message") {
    const schema = field.message as DescMessage;
    return reflect(schema, schema === ValueSchema ? fromJson(ValueSchema, { a: [1, null, "ü"] }) : filled(schema));
  }
  const scalar = (field as { scalar?: number }).scalar;
  if (scalar === 9) return "täxt 🎈";
  if (scalar === 8) return true;
  return scalar === 1 ? 0.25 : 4_000_000_000;
}

describe("the response's own encoder", () => {
  it.each([0, 1])("writes every field that the proto has, choice %i", (oneof) => {
    const envelope = create(EnvelopeSchema, filled(EnvelopeSchema, oneof) as object);
    expect(envelope.meta?.limits).toHaveLength(2);
    expectSameBytes(create(CallResponseSchema, { envelope }));
  });

  it("leaves out what is not set", () => {
    expectSameBytes(create(CallResponseSchema));
    expectSameBytes(create(CallResponseSchema, { envelope: create(EnvelopeSchema) }));
    expectSameBytes(create(CallResponseSchema, { envelope: { meta: create(CallMetaSchema), tool: "t" } }));
  });

  it("writes what toBinary writes, whatever was written before", () => {
    const meta = fc.record({
      callId: fc.string({ unit: "grapheme" }),
      latencyMs: fc.double(),
      attempts: fc.nat(),
      cached: fc.boolean(),
      warnings: fc.array(fc.string()),
      limits: fc.array(fc.record({ name: fc.string(), limit: fc.nat() })),
    });
    const payload = fc.oneof(
      fc.record({ case: fc.constant("dataJson" as const), value: fc.string({ unit: "grapheme", maxLength: 2_000 }) }),
      fc.record({
        case: fc.constant("data" as const),
        value: fc.jsonValue().map((value) => fromJson(ValueSchema, value as never)),
      }),
    );
    const error = fc.option(fc.record({ code: fc.string(), message: fc.string() }), { nil: undefined });
    const envelope = fc.record({ status: fc.string(), tool: fc.string(), payload, meta }, { requiredKeys: [] });
    assert(
      property(envelope, error, (known, problem) => {
        expectSameBytes(
          create(CallResponseSchema, { envelope: problem === undefined ? known : { ...known, error: problem } }),
        );
      }),
    );
  });
});
