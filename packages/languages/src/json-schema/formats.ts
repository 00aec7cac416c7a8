import type { JsonValue } from "@toolgate/core";
import { fullFormats } from "ajv-formats/dist/formats.js";

/** Whether a text's format is checked. One that nobody knows is a remark, as the standard says. */
export function isKnownFormat(format: JsonValue | undefined): boolean {
  return typeof format === "string" && Object.hasOwn(fullFormats, format);
}
