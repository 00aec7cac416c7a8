export type { FileAuditOptions } from "./audit-files.ts";
export { openFileAuditLog } from "./audit-log.ts";
