import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, type Started, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const ITEMS = ["1", "2", "3", "4", "5", "6"];
/** Notes who began, and goes on when it may. */
const PATIENT = "echo $ITEM >> begun; while [ ! -e go ]; do sleep 0.05; done; echo $ITEM";

const begun = () => {
  try {
    return readFileSync(place.path("begun"), "utf8").trim().split("\n");
  } catch {
    return [];
  }
};
const start = (...flags: readonly string[]) =>
  place.start(["run", "slow", "-j", "2", ...flags, "--", "sh", "-c", PATIENT, ":::", ...ITEMS]);
const go = () => place.run(["run", "-q", "--data", "other", "--", "touch", "go", ":::", "x"]);
const lines = (text: string) => text.split("\n").filter(Boolean).sort();

async function interrupted(): Promise<Started> {
  const run = start();
  await until(() => begun().length === 2);
  run.process.kill("SIGINT");
  await until(() => run.error().includes("stopping"));
  return run;
}

test("Ctrl-C starts no more and waits; resume does the rest, and nothing twice", async () => {
  const run = await interrupted();
  await go();
  const { code, out, error } = await run.ended;
  expect([code, lines(out)]).toEqual([130, ["1", "2"]]);
  expect(error).toContain("slow: stopped; 2 of 6 succeeded, 4 not run");
  expect(error).toContain("tally resume slow");
  const resumed = await place.run(["resume", "slow"]);
  expect([resumed.code, lines(resumed.out)]).toEqual([0, ["3", "4", "5", "6"]]);
  expect(begun().sort()).toEqual(ITEMS);
});

test("Ctrl-C twice ends what runs, and it is run again from its beginning", async () => {
  const run = await interrupted();
  run.process.kill("SIGINT");
  const { code, out } = await run.ended;
  expect([code, out]).toEqual([130, ""]);
  await go();
  const { code: resumedCode, out: resumedOut } = await start("--resume").ended;
  expect([resumedCode, lines(resumedOut)]).toEqual([0, ITEMS]);
  expect(begun().length).toBe(ITEMS.length + 2);
});

test("a second run is a client of the first, and takes its place when it is killed", async () => {
  const first = start();
  await until(() => begun().length === 2);
  const second = place.start([
    ...["run", "other", "-j", "1", "--", "sh", "-c", `echo o$ITEM; ${PATIENT}`],
    ...[":::", "a", "b"],
  ]);
  await until(() => begun().length === 3);
  first.process.kill("SIGKILL");
  await first.ended;
  await go();
  const { code, out } = await second.ended;
  expect([code, lines(out)]).toEqual([0, ["a", "b", "oa", "ob"]]);
  const resumed = await start("--resume").ended;
  expect(resumed.code).toBe(0);
  expect(begun().sort()).toEqual([...ITEMS, "a", "b"]);
});

test("a run that ends leaves those of others to one of them", async () => {
  const first = place.start(["run", "short", "--", "sh", "-c", "sleep 0.5", ":::", "x"]);
  await until(() => first.error().includes("short: 1 item,"));
  const second = start();
  expect((await first.ended).code).toBe(0);
  await until(() => begun().length === 2);
  await go();
  const { code, out } = await second.ended;
  expect([code, lines(out)]).toEqual([0, ITEMS]);
  expect(begun().sort()).toEqual(ITEMS);
});

test("pause, scale and resume work from another terminal", async () => {
  const run = start();
  await until(() => begun().length === 2);
  expect((await place.run(["pause", "slow"])).out).toContain("slow: paused");
  expect((await place.run(["scale", "slow", "-j", "4"])).out).toBe("slow: 4 at a time, paused\n");
  await go();
  await until(() => lines(run.out()).length === 2);
  expect(begun().length).toBe(2);
  const resumed = await place.run(["resume", "slow"]);
  expect(resumed.code).toBe(0);
  const { code, out } = await run.ended;
  expect([code, lines(out)]).toEqual([0, ITEMS]);
});
