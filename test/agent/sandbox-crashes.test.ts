/** A Job in sandboxes goes on where it was, whoever is killed. */
import { tmpdir } from "node:os";
import { test } from "vitest";
import { surviveCrashes } from "./crashes.ts";

const args = ["--default-runtime=sandbox", `--sandbox-share=${tmpdir()}`];
const SOME = { tasks: 60, parallelism: 12, kills: 4, args };
const PATIENTLY = { timeout: 300_000 };

test.concurrent("a Job survives four kills of its server", PATIENTLY, async () => {
  await surviveCrashes({ ...SOME, victim: "server" });
});

test.concurrent("a Job survives four kills of its spawner", PATIENTLY, async () => {
  await surviveCrashes({ ...SOME, victim: "spawner" });
});

test.concurrent("a Job survives four kills of both", PATIENTLY, async () => {
  await surviveCrashes({ ...SOME, victim: "both" });
});
