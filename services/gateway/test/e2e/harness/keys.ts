import { createHash } from "node:crypto";

/** The key of a client, by its id. */
export function keyOf(id: string): string {
  return `tgw_key_of_${id}`;
}

/** Clients with one key each, as in gateway.yaml; a client's other keys are written as they stand there. */
export function keyedClients(clients: Readonly<Record<string, string>>): string {
  const entries = Object.entries(clients).map(([id, keys]) => {
    const hash = createHash("sha256").update(keyOf(id)).digest("hex");
    return `  - { id: ${id}, key_hashes: ["sha256:${hash}"]${keys === "" ? "" : `, ${keys}`} }\n`;
  });
  return `clients:\n${entries.join("")}`;
}
