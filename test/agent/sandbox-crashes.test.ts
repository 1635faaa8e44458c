/** A Job in sandboxes continues after its server or its spawner was killed. */
import { tmpdir } from "node:os";
import { describe, test } from "vitest";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { surviveCrashes } from "./crashes.ts";

const args = ["--default-runtime=sandbox", `--sandbox-share=${tmpdir()}`];
const SOME = { tasks: 40, parallelism: 8, kills: 3, args };
const PATIENTLY = { timeout: 300_000 };

describe.skipIf(withoutSandboxes)(`in sandboxes ${withoutSandboxes}`, () => {
  test.concurrent("a Job survives kills of its server", PATIENTLY, async () => {
    await surviveCrashes({ ...SOME, victim: "server" });
  });

  test.concurrent("a Job survives kills of its spawner", PATIENTLY, async () => {
    await surviveCrashes({ ...SOME, victim: "spawner" });
  });
});
