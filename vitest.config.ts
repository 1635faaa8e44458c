import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Nobody knows what else the machine does: only what never comes is wrong. */
const PATIENCE_MS = 180_000;

const shared = {
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    // Half of the tests wait for processes, so that two workers keep two cores busy.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        // Hundreds of small files: a process for each would take longer than its tests.
        test: { ...shared, name: "parts", include: ["src/**/*.test.ts"], isolate: false },
      },
      {
        test: {
          ...shared,
          runner: "./test/support/explaining-runner.ts",
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", "test/cluster/**"],
        },
      },
    ],
  },
});
