import { test } from "vitest";
import { surviveKills } from "../run/kills.ts";

test("a run killed and resumed a hundred times completes every item, none twice", async () => {
  await surviveKills({ items: 800, kills: 100, random: Math.random });
}, 600_000);
