import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = dirname(import.meta.dirname);

/** Which packages of the workspace a folder may import; anything else is refused. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "packages/contract": [],
  "packages/core": [],
  "packages/documents": ["core"],
  "packages/languages": ["core"],
  "packages/dispatch": ["core"],
  "packages/registrar": ["core", "documents"],
  "packages/backends": ["core"],
  // The protocol of providers is the contract's own ToolProviderService.
  "packages/backends/src/provider": ["core", "contract"],
  "packages/scripts": ["core"],
  "packages/stores": ["core"],
  "packages/testkit": ["core"],
  "packages/client": ["contract"],
  "packages/provider": ["contract"],
  "services/gateway": [
    "backends",
    "client",
    "contract",
    "core",
    "dispatch",
    "documents",
    "languages",
    "registrar",
    "scripts",
    "stores",
  ],
  // Inside the gateway, proto messages are for transport, and for the command line, which is a client.
  "services/gateway/src/audit": ["core"],
  "services/gateway/src/config": ["core", "documents", "registrar"],
  "services/gateway/src/identity": ["core"],
  "services/gateway/src/lifecycle": [],
  "services/gateway/src/telemetry": ["core"],
  "services/gateway/src/transport": ["contract", "core", "dispatch", "registrar"],
};

/** Folders inside which files may not import from each other. */
const APART = ["packages/dispatch/src/stages", "packages/backends/src", "packages/stores/src"];

/**
 * What several parts of a folder stand on: the way to a gRPC server is the same for providers and services, and so is
 * the guard of addresses for all that connect.
 */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  "packages/backends/src": ["grpc-channel", "address-guard.ts"],
};

/** `stages/resolve` and `stages/observe` read the types of `stages/envelope`, which they wrap or fill. */
const TYPES_OF_NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  "packages/dispatch/src/stages": ["envelope.ts"],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const IMPORT = /^\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

function importsIn(folder: string): Import[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter(
      (file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$|(^|\/)(node_modules|gen|fixtures|test)\//.test(file),
    )
    .flatMap((file) => {
      const text = readFileSync(join(root, folder, file), "utf8");
      return [...text.matchAll(IMPORT)].map((match) => ({
        file: join(folder, file),
        specifier: (match[2] ?? match[3]) as string,
        typeOnly: match[1] !== undefined,
      }));
    });
}

/** The most precise rule for a file. */
function ruleFor(file: string): readonly string[] | undefined {
  const folder = Object.keys(ARROWS)
    .filter((path) => file.startsWith(`${path}/`))
    .sort((a, b) => b.length - a.length)[0];
  return folder === undefined ? undefined : ARROWS[folder];
}

const packages = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "services/gateway"];
const imports = packages.flatMap((path) => importsIn(`${path}/src`));

describe("who imports whom", () => {
  it("every package has a rule", () => {
    expect(packages.filter((path) => ARROWS[path] === undefined)).toEqual([]);
    expect(imports.length).toBeGreaterThan(300);
  });

  it("no arrow points the wrong way", () => {
    const wrong = imports.filter(({ file, specifier }) => {
      const [, target] = /^@toolgate\/([a-z-]+)/.exec(specifier) ?? [];
      return target !== undefined && !ruleFor(file)?.includes(target);
    });
    expect(wrong).toEqual([]);
  });

  it("no file reaches into another package by path", () => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith(".")) return false;
      const target = relative(root, resolve(root, dirname(file), specifier));
      const home = packages.find((path) => file.startsWith(`${path}/`)) as string;
      return !target.startsWith(`${home}/`);
    });
    expect(wrong).toEqual([]);
  });

  it("the core imports nothing but itself, and knows no clock, randomness or Node", () => {
    const outward = imports.filter(
      ({ file, specifier }) => file.startsWith("packages/core/") && !specifier.startsWith("."),
    );
    expect(outward).toEqual([]);
    const impure = readdirSync(join(root, "packages/core/src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .filter((file) =>
        /\bDate\b\.now|new Date\(|Math\.random|\bprocess\.[a-z]|performance\.now|setTimeout\(/.test(
          readFileSync(join(root, "packages/core/src", file), "utf8"),
        ),
      );
    expect(impure).toEqual([]);
  });

  it.each(APART)("the parts of %s do not import each other", (folder) => {
    const wrong = imports.filter(({ file, specifier, typeOnly }) => {
      if (!file.startsWith(`${folder}/`) || !specifier.startsWith(".")) return false;
      const target = relative(join(root, folder), resolve(root, dirname(file), specifier));
      const from = relative(folder, file).split("/")[0];
      const common = SHARED[folder]?.includes(target.split("/")[0] as string) === true;
      const shared = TYPES_OF_NEIGHBOURS[folder]?.includes(target) === true && typeOnly;
      return !target.startsWith("..") && target.split("/")[0] !== from && !shared && !common;
    });
    expect(wrong).toEqual([]);
  });

  it("only compose names concrete backends, stores, languages and scripts", () => {
    const concrete = imports.filter(({ file, specifier }) => {
      return (
        file.startsWith("services/gateway/src/") &&
        /^@toolgate\/(backends|stores|languages|scripts)\b/.test(specifier) &&
        !file.startsWith("services/gateway/src/compose/")
      );
    });
    expect(concrete).toEqual([]);
  });

  it("only compose and the command line read the environment", () => {
    const folder = join(root, "services/gateway/src");
    const readers = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(file))
      .filter((file) => readFileSync(join(folder, file), "utf8").includes("process.env"));
    expect(readers.filter((file) => !/^(compose|cli)\//.test(file))).toEqual([]);
  });
});
