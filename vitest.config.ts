import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,services,examples,bench,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    // Two cores: more would only make the tests with processes and sockets wait for each other.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
