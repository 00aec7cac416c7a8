import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";

describe("readOptions", () => {
  it("measures everything, and soaks only when asked to", () => {
    expect(readOptions([])).toMatchObject({ tools: 10_000, starts: 5, startFiles: [100, 1_000], soakSeconds: 0 });
  });

  it("lets a count stand over the quick ones", () => {
    const options = readOptions(["--quick", "--rounds", "3", "--calls", "50", "--soak", "20", "--json", "out.json"]);
    expect(options).toMatchObject({ rounds: 3, callsPerRound: 50, soakSeconds: 20, json: "out.json", starts: 1 });
  });

  it.each(["0", "-1", "2.5", "many", ""])("refuses %j rounds, naming the option and its bounds", (written) => {
    expect(() => readOptions([`--rounds=${written}`])).toThrow(/--rounds must be a whole number from 1 to 100/);
  });

  it("refuses what it does not know", () => {
    expect(() => readOptions(["--fast"])).toThrow(/--fast/);
  });

  it("asks for help", () => {
    expect(readOptions(["--help"])).toBe("help");
  });
});
