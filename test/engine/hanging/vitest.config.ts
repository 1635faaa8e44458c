/** The configuration for hanging.case.ts, which is meant to fail. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/engine/hanging/*.case.ts"],
    hookTimeout: 180_000,
    pool: "forks",
    runner: "./test/support/explaining-runner.ts",
  },
});
