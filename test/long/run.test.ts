import { test } from "vitest";
import { surviveKills } from "../run/kills.ts";

test("killed a hundred times and taken up again, every item succeeds and none twice", async () => {
  await surviveKills({ items: 800, kills: 100, random: Math.random });
}, 600_000);
