/**
 * A Job continues after its server or its spawner was killed: ten times here, a hundred in
 * test/long.
 */
import { test } from "vitest";
import { surviveCrashes } from "./crashes.ts";

const SOME = { tasks: 300, parallelism: 30, kills: 10 };
const PATIENTLY = { timeout: 300_000 };

test.concurrent("a Job survives ten kills of its server", PATIENTLY, async () => {
  await surviveCrashes({ ...SOME, victim: "server" });
});

test.concurrent("a Job survives ten kills of its spawner", PATIENTLY, async () => {
  await surviveCrashes({ ...SOME, victim: "spawner" });
});
