import { openDocument, readDocument } from "@toolgate/documents";
import { gatewaySchema } from "../../config/schema.ts";
import type { Report } from "./report.ts";

/** Keys with which a tool file begins; no configuration has them. */
const TOOL_KEYS = ["name", "tools", "type", "provider"];

/** Whether a file is the configuration of a gateway, or a part of one, and not a tool file. */
export function isConfiguration(label: string, text: string): boolean {
  const opened = openDocument(text, label);
  if (!opened.ok || !("document" in opened)) return false;
  const { value } = opened.document;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const has = (key: string) => Object.hasOwn(value, key);
  return !TOOL_KEYS.some(has) && Object.keys(gatewaySchema.shape).some(has);
}

export function checkConfiguration(label: string, text: string): Report {
  const read = readDocument(text, label, gatewaySchema);
  return { tools: 0, files: 1, problems: read.ok ? [] : read.problems };
}
