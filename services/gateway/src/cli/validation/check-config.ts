import { decodeText, openDocument, readDocument } from "@toolgate/documents";
import { gatewaySchema } from "../../config/schema.ts";
import type { Report } from "./report.ts";

/** Keys with which a tool file begins; no configuration has them. */
const TOOL_KEYS = ["name", "tools", "type", "provider"];

/** Whether a file is the configuration of a gateway, or a part of one, and not a tool file. */
export function isConfiguration(label: string, bytes: Uint8Array): boolean {
  const decoded = decodeText(bytes, label);
  const opened = decoded.ok ? openDocument(decoded.text, label) : decoded;
  if (!opened.ok || !("document" in opened)) return false;
  const { value } = opened.document;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const has = (key: string) => Object.hasOwn(value, key);
  return !TOOL_KEYS.some(has) && Object.keys(gatewaySchema.shape).some(has);
}

export function checkConfiguration(label: string, bytes: Uint8Array): Report {
  const decoded = decodeText(bytes, label);
  if (!decoded.ok) return { tools: 0, files: 1, problems: [decoded.problem] };
  const read = readDocument(decoded.text, label, gatewaySchema);
  return { tools: 0, files: 1, problems: read.ok ? [] : read.problems };
}
