import { describe, expect, it } from "vitest";
import { summarize } from "./summary.ts";

const frame = (id: number, functionName: string, url = "") => ({ id, callFrame: { functionName, url, lineNumber: 9 } });

describe("summarize", () => {
  const { totalMicroseconds, functions, packages } = summarize(
    {
      nodes: [
        frame(1, "(idle)"),
        frame(2, "send", "file:///a/node_modules/.pnpm/undici@8/node_modules/undici/lib/client.js"),
        frame(3, "run", "file:///a/packages/dispatch/src/stage.ts"),
        frame(4, "respond", "node:internal/http2/core"),
        frame(5, "writev"),
      ],
      startTime: 1_000,
      samples: [2, 1, 3, 4, 5, 3],
      timeDeltas: [10, 500, 20, 30, 40, 5],
    },
    1_500,
  );

  it("leaves out idle time, and what was before", () => {
    expect(totalMicroseconds).toBe(95);
  });

  it("sums by function and by whose code it is, most first", () => {
    expect(functions[0]).toEqual({ name: "writev  ", microseconds: 40 });
    expect(packages.map(({ name }) => name)).toEqual(["(native)", "node:internal/http2", "packages/dispatch"]);
    expect(packages[2]?.microseconds).toBe(25);
  });
});
