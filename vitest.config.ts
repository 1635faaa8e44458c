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
          // Whole servers and processes on a machine whose other load nobody knows: a change is held
          // up by what fails twice.
          retry: process.env["CI"] ? 1 : 0,
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", "test/cluster/**"],
        },
      },
    ],
  },
});
