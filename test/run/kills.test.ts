import { test } from "vitest";
import { surviveKills } from "./kills.ts";

test("killed ten times and taken up again, every item succeeds and none runs twice", async () => {
  await surviveKills({ items: 60, kills: 10, random: Math.random });
});
