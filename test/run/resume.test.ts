/** Resuming with an edited list: every item runs exactly once, and keeps its own history. */
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { Place, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

interface Result {
  readonly item: string;
  readonly state: string;
  readonly attempts: number;
  readonly exit?: number;
}

async function results(name: string): Promise<{ readonly [item: string]: string }> {
  const { out } = await place.run(["results", name, "--format", "json"]);
  const rows = JSON.parse(out) as readonly Result[];
  return Object.fromEntries(
    rows.map(({ item, state, attempts, exit }) => [item, `${state} ${attempts} ${exit}`]),
  );
}

function resume(name: string, items: readonly string[], ...command: readonly string[]) {
  writeFileSync(place.path("list"), items.map((item) => `${item}\n`).join(""));
  const flags = ["--resume", "-q", "-j", "2", "--retries", "0", "-a", "list"];
  return place.start(["run", name, ...flags, "--", ...command]);
}

const began = () => {
  try {
    return readFileSync(place.path("began"), "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
};

/** Notes its beginning, and ends when there is a file "go", or at once for a quick item. */
const TASK = [
  "sh",
  "-c",
  'echo "$1" >> began; case $1 in q*) ;; *) until [ -e go ]; do sleep 0.05; done;; esac',
  "task",
  "{}",
];

test("each item keeps its log when the list is edited", async () => {
  await resume("ed", ["one", "two"], "echo", "{}").ended;
  await resume("ed", ["two", "one", "three"], "echo", "{}").ended;
  for (const item of ["one", "two", "three"]) {
    expect((await place.run(["logs", "ed", item])).out).toBe(`${item}\n`);
  }
  expect(await results("ed")).toEqual({
    one: "Succeeded 1 0",
    two: "Succeeded 1 0",
    three: "Succeeded 1 0",
  });
});

test("attempts and failures stay with their item over several edits", async () => {
  const command = ["sh", "-c", 'echo "$1"; test "$1" != bad || exit 3', "task", "{}"];
  await resume("ed", ["bad", "b"], ...command).ended;
  await resume("ed", ["new", "bad", "b"], ...command).ended;
  await resume("ed", ["b", "c", "bad", "new"], ...command).ended;
  expect(await results("ed")).toEqual({
    b: "Succeeded 1 0",
    c: "Succeeded 1 0",
    bad: "Failed 3 3",
    new: "Succeeded 1 0",
  });
  expect((await place.run(["logs", "ed", "bad"])).out).toBe("bad\n");
});

test("an item that was removed and returns is still done, with its log", async () => {
  await resume("ed", ["a", "b", "c"], "echo", "{}").ended;
  await resume("ed", ["c"], "echo", "{}").ended;
  const { out, error } = await resume("ed", ["a", "d", "c", "b"], "echo", "{}").ended;
  expect(out).toBe("d\n");
  expect(error).toContain("1 new in the list");
  expect((await place.run(["logs", "ed", "a"])).out).toBe("a\n");
});

test("items that run while the list is edited are waited for, and not run twice", async () => {
  const killed = resume("ed", ["q1", "slow1", "slow2", "q2", "q3"], ...TASK);
  await until(() => began().length >= 3);
  killed.process.kill("SIGKILL");
  await killed.ended;
  const resumed = resume("ed", ["top", "q1", "slow1", "slow2", "q2", "q3"], ...TASK);
  writeFileSync(place.path("go"), "");
  expect((await resumed.ended).code).toBe(0);
  expect(began().toSorted()).toEqual(["q1", "q2", "q3", "slow1", "slow2", "top"]);
  expect(new Set(Object.values(await results("ed")))).toEqual(new Set(["Succeeded 1 0"]));
});

test("a resume with another list takes over a run that another terminal follows", async () => {
  const first = resume("ed", ["slow1", "q1", "q2"], ...TASK);
  await until(() => began().length >= 3);
  const second = resume("ed", ["q3", "q2", "slow1"], ...TASK);
  writeFileSync(place.path("go"), "");
  expect((await second.ended).code).toBe(0);
  await first.ended;
  expect(began().toSorted()).toEqual(["q1", "q2", "q3", "slow1"]);
});

const FIXTURE = path.join(import.meta.dirname, "fixtures", "directory-0.1.tar.gz");
const FIXTURE_DIRECTORY = "/tmp/fix";

/**
 * The runs of the fixture have a working directory that only the machine it was made on had.
 * Gives them this one, by a link whose path has the same length. Returns the link.
 */
function unpackFixture(): string {
  spawnSync("tar", ["-xzf", FIXTURE, "-C", place.directory]);
  const random = () => Math.random().toString(36).slice(2, 5).padEnd(3, "0");
  let link = FIXTURE_DIRECTORY;
  while (lstatSync(link, { throwIfNoEntry: false }) || link === FIXTURE_DIRECTORY) {
    link = `/tmp/${random()}`;
  }
  symlinkSync(place.directory, link);
  const database = place.path(".tally/store/data.mdb");
  const text = readFileSync(database, "latin1").replaceAll(`"${FIXTURE_DIRECTORY}"`, `"${link}"`);
  writeFileSync(database, text, "latin1");
  return link;
}

test("a directory of Tally 0.1 opens, and its runs are resumed and retried", async () => {
  const link = unpackFixture();
  onTestFinished(() => rmSync(link));
  expect(await results("finished")).toMatchObject({
    one: "Succeeded 1 0",
    "bad two": "Failed 2 3",
    three: "Succeeded 1 0",
  });
  const logOf = async (run: string, item: string) =>
    (await place.run(["logs", run, item])).out.split("\n")[0];
  expect(await logOf("edited", "three")).toBe("out of three");
  await place.run(["retry", "finished", "-q"]);
  const task = ["./task.sh", "{}"];
  await resume("finished", ["three", "new", "bad two", "one"], ...task).ended;
  expect(await results("finished")).toEqual({
    three: "Succeeded 1 0",
    new: "Succeeded 1 0",
    "bad two": "Failed 5 3",
    one: "Succeeded 1 0",
  });
  expect(await logOf("finished", "one")).toBe("out of one");
  const partly = ["f", "a", "bad c", "e"];
  expect((await resume("partly", partly, ...task).ended).code).toBe(1);
  expect(await results("partly")).toEqual({
    f: "Succeeded 1 0",
    a: "Succeeded 1 0",
    "bad c": "Failed 2 3",
    e: "Succeeded 1 0",
  });
});
