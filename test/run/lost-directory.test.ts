/** The data directory of a run is deleted, renamed or unmounted while the run goes on. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../agent/runtime-under-test.ts";
import { Place, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const CAN_MOUNT = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
const reason = CAN_MOUNT ? "" : "(skipped: the rights to mount are missing)";

/** The third item does it; items after it would fail, since they cannot open their logs. */
async function expectEnd(act: string, command: readonly string[] = []): Promise<void> {
  const note = "cp -r .tally/agent/lock spawner";
  const task = `test "$ITEM" != 3 || { ${note}; ${act}; }; sleep 0.05; echo "$ITEM"`;
  const words = ["run", "-q", "-j1", "--range", "1-100000", "--", "sh", "-c", task];
  const before = command.length === 0 ? {} : { before: command.join("; ") };
  const { code, error } = await place.run(words, undefined, before);
  expect({ code, error }).toEqual({
    code: 125,
    error: `tally: the data directory ${place.path(".tally")} is gone: the run cannot go on\n`,
  });
  const [spawner = ""] = readdirSync(place.path("spawner"));
  await until(() => !isAlive(Number.parseInt(spawner, 10)));
}

test("a run whose directory is deleted ends with a sentence, and its spawner with it", async () => {
  await expectEnd("rm -rf .tally");
});

test("a run whose directory is renamed ends with a sentence, and its spawner with it", async () => {
  await expectEnd("mv .tally elsewhere");
});

test.skipIf(!CAN_MOUNT)(
  `a run whose directory is unmounted ends the same way ${reason}`,
  async () => {
    mkdirSync(place.path(".tally"));
    const mounted = 'mount -t tmpfs -o mode=700 none .tally; exec "$@"';
    // In mounts of its own, where nothing is left of it.
    const again = `exec unshare -m sh -c '${mounted}' sh "$@"`;
    await expectEnd("umount -l .tally", [again]);
  },
);
