import { test } from "vitest";
import { surviveWorkflowKills } from "../run/workflow-kills.ts";

test.each(["chain", "fan"] as const)(
  "a %s of 1,000 steps, killed ten times, runs each step once",
  async (shape) => {
    const kills = { steps: 1000, shape, kills: 10, longestLifeMs: 6_000 };
    await surviveWorkflowKills({ ...kills, random: Math.random });
  },
  600_000,
);
