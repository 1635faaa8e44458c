import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Place, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const lines = (text: string) => text.split("\n").filter(Boolean);
const begun = () =>
  existsSync(place.path("begun")) ? lines(readFileSync(place.path("begun"), "utf8")) : [];

interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly notRun: number;
}

/** What is said of the run in all places, each in its own way. */
async function countsOf(name: string): Promise<{ readonly [place: string]: Counts }> {
  const text = async (...args: readonly string[]) => (await place.run(args)).out;
  const page = await text("report", name, "-o", "-");
  const figure = (what: string) =>
    Number(new RegExp(`<b>([0-9]+)</b><span>${what}</span>`).exec(page)?.[1] ?? 0);
  const status = JSON.parse(await text("status", name, "-o", "json"));
  const [listed] = JSON.parse(await text("list", "-o", "json"));
  const headline = (await text("status", name)).split("\n")[0] ?? "";
  return {
    results: countsBy(await results(name)),
    report: {
      succeeded: figure("succeeded"),
      failed: figure("failed"),
      notRun: figure("not run"),
    },
    status: pick(status),
    list: pick(listed),
    headline: countsIn(headline),
  };
}

function countsBy(rows: readonly Row[]): Counts {
  const of = (state: string) => rows.filter((row) => row.state === state).length;
  return { succeeded: of("Succeeded"), failed: of("Failed"), notRun: of("NotRun") };
}

function pick({ succeeded, failed, notRun }: Counts): Counts {
  return { succeeded, failed, notRun };
}

function countsIn(text: string): Counts {
  const [, succeeded, failed, notRun] =
    /(\d+) of \d+ succeeded(?:, (\d+) failed)?(?:, (\d+) not run)?/.exec(text) ?? [];
  return {
    succeeded: Number(succeeded),
    failed: Number(failed ?? 0),
    notRun: Number(notRun ?? 0),
  };
}

interface Row {
  readonly item: string;
  readonly state: string;
  readonly attempts: number;
  readonly exit?: number;
  readonly log?: string;
}

async function results(name: string): Promise<readonly Row[]> {
  const { out } = await place.run(["results", name, "--format", "json"]);
  return JSON.parse(out);
}

const same = (counts: Counts) => ({
  results: counts,
  report: counts,
  status: counts,
  list: counts,
  headline: counts,
});

/** Item 2 fails when four have begun; all others stay. */
const FAILS_SECOND =
  "echo $ITEM >> begun; " +
  "if [ $ITEM = 2 ]; then until [ -e fail ]; do sleep 0.02; done; exit 3; fi; exec sleep 60";
const HALTING = ["-j4", "--retries", "0", "--halt", "now", "--range", "1-10"];

describe("--halt now", () => {
  async function halted(...flags: readonly string[]) {
    const run = place.start(["run", "h", ...HALTING, ...flags, "--", "sh", "-c", FAILS_SECOND]);
    await until(() => begun().length === 4);
    writeFileSync(place.path("fail"), "");
    return run.ended;
  }

  test("items that never began are not run, everywhere", async () => {
    const { code, error } = await halted();
    expect(code).toBe(1);
    const rows = await results("h");
    const counts = countsBy(rows);
    // One may have begun in the moment between the failure and the end of the run.
    expect([4, 5]).toContain(counts.failed);
    expect(countsIn(error)).toEqual(counts);
    expect(await countsOf("h")).toEqual(same(counts));
    const told = rows.map(({ state, attempts, exit, log }) => [
      state,
      attempts,
      exit,
      log !== undefined,
    ]);
    const failed = (exit: number) => ["Failed", 1, exit, true];
    const notRun = ["NotRun", 0, undefined, false];
    expect(told).toEqual(
      rows.map(({ item }, at) => (at < counts.failed ? failed(item === "2" ? 3 : 143) : notRun)),
    );
  });

  test("as events, too: nothing is said of items that never began", async () => {
    const { out } = await halted("-o", "json");
    const events = lines(out).map((line) => JSON.parse(line));
    const rows = await results("h");
    const items = events.filter(({ type }) => type === "item").map(({ item }) => item);
    const failed = rows.filter(({ state }) => state === "Failed").map(({ item }) => item);
    expect(items.sort()).toEqual(failed.sort());
    expect(events.at(-1)).toMatchObject({ type: "summary", ...countsBy(rows), exitCode: 1 });
  });

  test("resume runs what failed and what was not run", async () => {
    await halted();
    const first = begun().length;
    const script = "echo $ITEM >> begun";
    const { code } = await place.run([
      "run",
      "h",
      "--resume",
      ...HALTING,
      "--",
      "sh",
      "-c",
      script,
    ]);
    expect(code).toBe(0);
    expect(begun().slice(first).length).toBe(10);
    const counts = { succeeded: 10, failed: 0, notRun: 0 };
    expect(await countsOf("h")).toEqual(same(counts));
  });
});

test("--halt soon: items that were not begun are not run, everywhere", async () => {
  const script = "echo $ITEM >> begun; [ $ITEM != 2 ] || exit 3";
  const flags = ["-j1", "--retries", "0", "--halt", "soon", "--range", "1-10"];
  const { code, error } = await place.run(["run", "h", ...flags, "--", "sh", "-c", script]);
  expect(code).toBe(1);
  const counts = countsBy(await results("h"));
  expect(counts).toEqual({ succeeded: 1, failed: 1, notRun: 8 });
  expect(begun()).toEqual(["1", "2"]);
  expect(countsIn(error)).toEqual(counts);
  expect(await countsOf("h")).toEqual(same(counts));
});

test("an item that waits for another attempt when the run is ended has failed", async () => {
  const script =
    "echo $ITEM >> begun; [ $ITEM != 1 ] || exit 5; " +
    "if [ $ITEM = 2 ]; then until [ -e fail ]; do sleep 0.02; done; exit 3; fi; exec sleep 60";
  const flags = ["-j2", "--retries", "3", "--backoff", "60s", "--fail-on", "3", "--halt", "now"];
  const args = ["run", "h", ...flags, "--range", "1-10", "--", "sh", "-c", script];
  const run = place.start(args);
  await until(() => begun().length === 3);
  writeFileSync(place.path("fail"), "");
  const { code, error } = await run.ended;
  expect(code).toBe(1);
  const rows = await results("h");
  const counts = countsBy(rows);
  expect(rows.slice(0, 3).map(({ state, exit }) => [state, exit])).toEqual([
    ["Failed", 5],
    ["Failed", 3],
    ["Failed", 143],
  ]);
  expect(countsIn(error)).toEqual(counts);
  expect(await countsOf("h")).toEqual(same(counts));
  expect(error).not.toContain("143, attempt 1 of 4, retrying");
});

test("Ctrl-C twice: what it stopped was no attempt, and what never began neither", async () => {
  const script = "echo $ITEM >> begun; exec sleep 60";
  const run = place.start(["run", "s", "-j2", "--range", "1-6", "--", "sh", "-c", script]);
  await until(() => begun().length === 2);
  run.process.kill("SIGINT");
  await until(() => run.error().includes("stopping"));
  run.process.kill("SIGINT");
  const { code, error } = await run.ended;
  expect(code).toBe(130);
  expect(countsIn(error)).toEqual({ succeeded: 0, failed: 0, notRun: 6 });
  const rows = await results("s");
  expect(rows.map(({ state, attempts, exit }) => [state, attempts, exit])).toEqual(
    rows.map(() => ["Pending", 0, undefined]),
  );
  const { waiting, failed } = JSON.parse((await place.run(["status", "s", "-o", "json"])).out);
  expect([waiting, failed]).toEqual([0, 0]);
});
