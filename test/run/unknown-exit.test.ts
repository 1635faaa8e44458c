/** A process that dies together with everything that watched it: nobody knows its exit code. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const began = () => {
  try {
    return readFileSync(place.path("began"), "utf8").trimEnd().split("\n").length;
  } catch {
    return 0;
  }
};

test("an item whose exit code is unknown runs again, and the attempt is counted", async () => {
  const script = "echo x >> began; until [ -e go ]; do sleep 0.05; done";
  const flags = ["--retries", "0", "-q", "--resume"];
  const args = ["run", "lost", ...flags, "--", "sh", "-c", script, "task", ":::", "one"];
  const run = place.start(args);
  await until(() => began() === 1);
  const directory = place.path(".tally", "agent");
  const [holder = ""] = readdirSync(`${directory}/lock`);
  const spawner = Number.parseInt(holder, 10);
  const slots = spawnSync("ps", ["-o", "pid=", "--ppid", String(spawner)], { encoding: "utf8" });
  // All at once, so that none of them can record anything.
  run.process.kill("SIGSTOP");
  process.kill(spawner, "SIGKILL");
  for (const pid of slots.stdout.trim().split(/\s+/)) process.kill(-Number(pid), "SIGKILL");
  run.process.kill("SIGKILL");
  await run.ended;
  writeFileSync(place.path("go"), "");
  expect((await place.run(args)).code).toBe(0);
  expect(began()).toBe(2);
  const { out } = await place.run(["results", "lost", "--format", "json"]);
  expect(JSON.parse(out)).toMatchObject([{ state: "Succeeded", attempts: 2, exit: 0 }]);
});
