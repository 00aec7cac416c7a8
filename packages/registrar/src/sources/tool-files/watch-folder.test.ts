import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFakeClock } from "@toolgate/testkit/fake-clock";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { tempFolder } from "./temp-folder.fixture.ts";
import { ToolFilesSource } from "./tool-files-source.ts";
import type { ToolKind } from "./tool-kind.ts";
import { POLL_MS, watchFolder } from "./watch-folder.ts";

const http: ToolKind = { kind: "http", shape: { endpoint: z.string() }, toBackend: () => undefined };
const tool = (description: string) => `name: a\ntype: http\nendpoint: http://b/\ndescription: "${description}"\n`;
/** What ops-05 allows between a save and its effect. */
const WITHIN = { timeout: 2_000, interval: 10 };

/** A folder whose tools are loaded again at each change, as the gateway does. */
async function follow(dir: string) {
  const source = new ToolFilesSource({ dir, kinds: [http], env: {} });
  const state = { description: undefined as string | undefined, loads: 0 };
  const stop = watchFolder(dir, () => {
    void source.load().then(({ toolsets }) => {
      state.description = toolsets[0]?.tools[0]?.definition.description;
      state.loads += 1;
    });
  });
  onTestFinished(stop);
  await vi.waitUntil(() => state.loads > 0, WITHIN);
  const settle = (description: string) => vi.waitUntil(() => state.description === description, WITHIN);
  return { state, stop, settle };
}

describe("watchFolder: the last content is in force within 2 s (ops-05, openclaw/openclaw#105623)", () => {
  it("after ten saves in 300 ms", async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    const { settle, state } = await follow(dir);
    expect(state.description).toBe("first");
    for (let save = 1; save <= 10; save++) {
      writeFileSync(join(dir, "a.yaml"), tool(`save ${save}`));
      await sleep(30);
    }
    await settle("save 10");
    expect(state.loads).toBeLessThan(10);
  });

  it("after a save by rename, again and again", async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    const { settle } = await follow(dir);
    for (const description of ["second", "third"]) {
      writeFileSync(join(dir, ".a.yaml.tmp"), tool(description));
      renameSync(join(dir, ".a.yaml.tmp"), join(dir, "a.yaml"));
      await settle(description);
    }
  });

  it("after a swap of links, as of a Kubernetes ConfigMap, again and again", async () => {
    const dir = tempFolder();
    const swap = (version: string) => {
      mkdirSync(join(dir, `..${version}`));
      writeFileSync(join(dir, `..${version}`, "a.yaml"), tool(version));
      symlinkSync(`..${version}`, join(dir, "..data_tmp"));
      renameSync(join(dir, "..data_tmp"), join(dir, "..data"));
    };
    swap("first");
    symlinkSync("..data/a.yaml", join(dir, "a.yaml"));
    const { settle } = await follow(dir);
    for (const version of ["second", "third"]) {
      swap(version);
      await settle(version);
    }
  });

  it("in a sub-folder that was not there before", async () => {
    const dir = tempFolder();
    const { settle } = await follow(dir);
    mkdirSync(join(dir, "web"));
    writeFileSync(join(dir, "web/a.yaml"), tool("first"));
    await settle("first");
    writeFileSync(join(dir, "web/a.yaml"), tool("second"));
    await settle("second");
  });
});

describe("watchFolder", () => {
  it("goes on when the folder is deleted and comes back, and when it never was", async () => {
    const dir = join(tempFolder(), "tools");
    const clock = createFakeClock();
    const onChange = vi.fn();
    onTestFinished(watchFolder(dir, onChange, clock));
    /** Lets time go on until it has been called this often. */
    const called = (times: number) =>
      vi.waitUntil(() => {
        clock.advance(POLL_MS);
        return onChange.mock.calls.length >= times;
      }, WITHIN);
    await called(1);
    mkdirSync(dir);
    await called(2);
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    await called(3);
    rmSync(dir, { recursive: true });
    await called(4);
    mkdirSync(dir);
    writeFileSync(join(dir, "a.yaml"), tool("second"));
    await called(5);
  });

  it("polls, and so sees what no notice tells: a change behind a link", async () => {
    const dir = tempFolder();
    const target = join(tempFolder(), "x.yaml");
    writeFileSync(target, tool("first"));
    symlinkSync(target, join(dir, "a.yaml"));
    const clock = createFakeClock();
    const onChange = vi.fn();
    onTestFinished(watchFolder(dir, onChange, clock));
    await vi.waitUntil(() => onChange.mock.calls.length === 1, WITHIN);
    writeFileSync(target, tool("other"));
    clock.advance(POLL_MS);
    await vi.waitUntil(() => onChange.mock.calls.length === 2, WITHIN);
  });

  it("does not call back for what is no tool file, nor for a save without a change", async () => {
    const dir = tempFolder();
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    const clock = createFakeClock();
    const onChange = vi.fn();
    onTestFinished(watchFolder(dir, onChange, clock));
    await vi.waitUntil(() => onChange.mock.calls.length === 1, WITHIN);
    writeFileSync(join(dir, ".a.yaml.swp"), "x");
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    writeFileSync(join(dir, "b.yaml"), tool("first"));
    clock.advance(POLL_MS);
    await vi.waitUntil(() => onChange.mock.calls.length === 2, WITHIN);
  });

  it("leaves nothing running, also when it is stopped while it looks", async () => {
    const dir = tempFolder();
    const clock = createFakeClock();
    const onChange = vi.fn();
    const watchers = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length;
    const before = watchers();
    watchFolder(dir, onChange, clock)();
    const stop = watchFolder(dir, onChange, clock);
    await vi.waitUntil(() => onChange.mock.calls.length === 1, WITHIN);
    expect(clock.pending).toBe(1);
    stop();
    expect(clock.pending).toBe(0);
    await vi.waitUntil(() => watchers() === before, WITHIN);
    writeFileSync(join(dir, "a.yaml"), tool("first"));
    clock.advance(10 * POLL_MS);
    expect(onChange).toHaveBeenCalledTimes(1);
  });
});
