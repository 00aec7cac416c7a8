import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFolder, MAX_FOLDER_DEPTH } from "./folder.ts";
import { tempFolder } from "./temp-folder.fixture.ts";

const pathsOf = async (dir: string) => (await listFolder(dir)).files.map(({ path }) => path);

describe("listFolder", () => {
  it("finds tool files in sub-folders, in the order of their paths", async () => {
    const dir = tempFolder();
    mkdirSync(join(dir, "web/deep"), { recursive: true });
    mkdirSync(join(dir, ".git"));
    for (const name of ["b.yml", "a.yaml", "web/c.json", "web/deep/d.YAML"]) writeFileSync(join(dir, name), "");
    for (const name of ["README.md", ".hidden.yaml", ".git/e.yaml", "a.yaml~", "a.yaml.swp"]) {
      writeFileSync(join(dir, name), "");
    }
    expect(await pathsOf(dir)).toEqual(["a.yaml", "b.yml", "web/c.json", "web/deep/d.YAML"]);
    expect((await listFolder(dir)).directories).toEqual([dir, join(dir, "web"), join(dir, "web/deep")]);
  });

  it("follows links, but not in a circle", async () => {
    const dir = tempFolder();
    const elsewhere = tempFolder();
    writeFileSync(join(elsewhere, "x.yaml"), "");
    mkdirSync(join(dir, "sub"));
    symlinkSync(join(elsewhere, "x.yaml"), join(dir, "link.yaml"));
    symlinkSync(elsewhere, join(dir, "linked"));
    symlinkSync(join(dir, "sub"), join(dir, "sub/back"));
    expect(await pathsOf(dir)).toEqual(["link.yaml", "linked/x.yaml"]);
  });

  it("reports a link that leads nowhere rather than leaving it out", async () => {
    const dir = tempFolder();
    symlinkSync(join(dir, "nothing"), join(dir, "a.yaml"));
    symlinkSync("circle.yaml", join(dir, "circle.yaml"));
    expect((await listFolder(dir)).unreadable).toEqual([
      { path: "a.yaml", reason: "does not exist" },
      { path: "circle.yaml", reason: "is a link that leads in a circle" },
    ]);
  });

  it("does not wait for a pipe", async () => {
    const dir = tempFolder();
    execFileSync("mkfifo", [join(dir, "pipe.yaml")]);
    expect(await listFolder(dir)).toMatchObject({ files: [], unreadable: [] });
  });

  it("bounds its depth, and says so", async () => {
    const dir = tempFolder();
    const levels = Array.from({ length: MAX_FOLDER_DEPTH + 1 }, (_, index) => `d${index}`);
    mkdirSync(join(dir, ...levels), { recursive: true });
    expect((await listFolder(dir)).unreadable).toEqual([
      { path: levels.join("/"), reason: "lies too deep: sub-folders are read 8 deep" },
    ]);
  });

  it("reports a folder that is not there", async () => {
    const listing = await listFolder(join(tempFolder(), "none"));
    expect(listing).toEqual({
      files: [],
      scripts: [],
      directories: [],
      unreadable: [{ path: "", reason: "does not exist" }],
    });
  });
});
