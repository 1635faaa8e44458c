import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 3_600_000,
    pool: "forks",
    runner: "./test/support/explaining-runner.ts",
    fileParallelism: false,
  },
});
