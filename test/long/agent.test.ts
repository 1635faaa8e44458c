/** Nothing is lost and nothing runs twice, however often somebody dies while a Job runs. */
import { test } from "vitest";
import { surviveCrashes } from "../agent/crashes.ts";

const MANY = { tasks: 300, parallelism: 10, kills: 100 };

test("a Job goes on where it was when its server is killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "server" });
});

test("a Job goes on where it was when its spawner is killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "spawner" });
});

test("a Job goes on where it was when both are killed a hundred times", async () => {
  await surviveCrashes({ ...MANY, victim: "both" });
});
