import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const root = dirname(import.meta.dirname);

/** What `npm run check` asks, on protos in which some text was replaced. */
function breaking(file: string, from: string, to: string): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-breaking-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["proto", "buf.yaml"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  const path = join(folder, "proto/toolgate/v1", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const { status, stdout, stderr } = spawnSync("buf", ["breaking", "--against", "proto/released.binpb"], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

describe("the gate against breaking changes", () => {
  it("lets the protos through as they are, and new fields", () => {
    expect(
      breaking("envelope.proto", "string tool = 2;", "string tool = 2;\n\n  // New.\n  string extra = 99;"),
    ).toEqual({ status: 0, output: "" });
  });

  it.each([
    ["another type", "envelope.proto", "string tool = 2;", "uint32 tool = 2;"],
    ["another number", "envelope.proto", "string tool = 2;", "string tool = 98;"],
    ["a removed rpc", "gateway_service.proto", "rpc Heartbeat(HeartbeatRequest) returns (HeartbeatResponse);", ""],
    ["a renamed enum value", "tool.proto", "HEALTH_STATE_DEGRADED = 2", "HEALTH_STATE_LIMPING = 2"],
  ])("stops %s, naming the file", (_what, file, from, to) => {
    const { status, output } = breaking(file, from, to);
    expect(status).toBe(100);
    expect(output).toContain(`proto/toolgate/v1/${file}:`);
  });
});
