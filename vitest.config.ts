import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const shared = { testTimeout: 60_000, hookTimeout: 120_000, pool: "forks" } as const;

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
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", "test/cluster/**"],
        },
      },
    ],
  },
});
