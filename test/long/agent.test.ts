/**
 * However often a server or spawner is killed while a Job runs, no pod is lost and none runs twice.
 */
import { test } from "vitest";
import { surviveCrashes } from "../agent/crashes.ts";

const MANY = { tasks: 300, parallelism: 10, kills: 100 };

test("a Job continues when its server is killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "server" });
});

test("a Job continues when its spawner is killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "spawner" });
});

test("a Job continues when both are killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "both" });
});
