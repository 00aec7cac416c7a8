import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@grpc/grpc-js";
import { createClient, type ToolgateClient } from "@toolgate/client";
import { expect, onTestFinished } from "vitest";
import { asText, callGrpc } from "./harness/call.ts";
import { eventually } from "./harness/eventually.ts";
import { gatewayFolder } from "./harness/folder.ts";
import { grpcClient } from "./harness/grpc-client.ts";
import { readMetrics, total } from "./harness/metrics.ts";
import { type ServingProcess, servingIn } from "./harness/serving.ts";
import { clientTool } from "./harness/tool-file.ts";
import { verifies } from "./verifies.ts";

function clientFor(gateway: ServingProcess): ToolgateClient {
  const client = createClient({ address: gateway.grpc });
  onTestFinished(() => client.close());
  return client;
}

/** So many calls, a hundred at a time, in order of their ids; answers how they ended. Ends early where the gateway does. */
async function callMany(client: Client, count: number, name: string): Promise<readonly string[]> {
  const ends: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const some = Array.from({ length: Math.min(100, count - from) }, (_, i) =>
      callGrpc(client, { ...asText("t"), callId: `${name}-${from + i}` }),
    );
    const settled = await Promise.allSettled(some);
    if (settled.some(({ status }) => status === "rejected")) return ends;
    ends.push(...settled.map((end) => (end.status === "fulfilled" ? end.value.status : "")));
  }
  return ends;
}

function auditFolder(): { readonly folder: string; readonly path: string; readonly lines: () => string[] } {
  const folder = gatewayFolder({ yaml: "audit: {file: audit.jsonl}\n", tools: { "t.yaml": clientTool("t") } });
  const path = join(folder, "audit.jsonl");
  return { folder, path, lines: () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []) };
}

verifies("audit.crash", async () => {
  const { folder, lines } = auditFolder();
  for (let round = 0; round < 2; round += 1) {
    const gateway = await servingIn(folder);
    const client = grpcClient(gateway.grpc);
    const before = lines().length;
    await callMany(client, 200, `kept${round}`);
    await eventually(() => lines().length).toBe(before + 200);
    const load = callMany(client, 100_000, `load${round}`);
    await eventually(() => lines().length).toBeGreaterThan(before + 400);
    gateway.child.kill("SIGKILL");
    expect(await gateway.ended).toEqual({ code: null, signal: "SIGKILL" });
    await load;
  }
  const gateway = await servingIn(folder);
  const client = clientFor(gateway);
  await client.call("t", {}, { callId: "last" });
  const { entries } = await client.readAuditLog({}, { pageSize: 1_000 });
  expect(entries[0]?.callId).toBe("last");
  const whole = lines().filter((line) => line.endsWith("}"));
  // At most the one line that each end cut is none.
  expect(lines().length - whole.length).toBeLessThanOrEqual(2);
  const ids = whole.map((line) => JSON.parse(line).call_id as string);
  expect(new Set(ids).size).toBe(ids.length);
  for (let round = 0; round < 2; round += 1) {
    for (const kind of ["kept", "load"]) {
      const numbers = ids.filter((id) => id.startsWith(`${kind}${round}-`)).map((id) => Number(id.split("-")[1]));
      if (kind === "kept") expect(numbers).toHaveLength(200);
      // Calls end in about the order in which they were made, and entries stand in the order of the ends.
      for (const [place, number] of numbers.entries()) expect(Math.abs(number - place)).toBeLessThan(200);
    }
  }
});

verifies(
  "audit.hanging",
  "peers row 77 (obot-platform/obot#7758): a file that takes 64 KiB and then nothing more",
  async () => {
    const { folder, path } = auditFolder();
    // A pipe that nobody reads: its writer hangs once it is full, as on a file system that is gone.
    execFileSync("mkfifo", [path]);
    const gateway = await servingIn(folder);
    const ends = await callMany(grpcClient(gateway.grpc), 6_000, "c");
    expect(ends.filter((status) => status === "delegated")).toHaveLength(6_000);
    const dropped = total(await readMetrics(gateway.admin), "toolgate_audit_entries_total", {
      outcome: "dropped",
      reason: "queue_full",
    });
    expect(dropped).toBeGreaterThan(0);
    expect(total(await readMetrics(gateway.admin), "toolgate_audit_waiting")).toBe(5_000);
    expect(gateway.stderr()).toContain("entries of the audit log are lost; calls go on");
    const startedAt = performance.now();
    gateway.child.kill("SIGTERM");
    // Nothing else ends a process whose file system hangs.
    expect(await gateway.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(gateway.stderr()).toMatch(/"to":"stopped"/);
  },
);
