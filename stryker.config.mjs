// Mutation testing of what decides: whether a test fails for each small change of the code. It takes long, so that it is
// not part of the checks. One part at a time: npm run mutation -- --mutate "packages/core/src/json/*.ts"
export default {
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  mutate: [
    "packages/core/src/**/*.ts",
    "packages/dispatch/src/**/*.ts",
    "!packages/**/*.{test,fixture,d}.ts",
    "!packages/**/index.ts",
  ],
  // Two cores: the tests themselves take the other one.
  concurrency: 1,
  reporters: ["clear-text"],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  thresholds: { high: 90, low: 80, break: 80 },
};
