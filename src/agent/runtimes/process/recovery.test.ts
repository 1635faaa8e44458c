import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Bundled, bundleProcesses } from "../../../../test/agent/bundled.ts";
import { isAlive, RuntimeUnderTest, until } from "../../../../test/agent/runtime-under-test.ts";
import type { RunRequest } from "../runtime.ts";

let bundled: Bundled;
let the: RuntimeUnderTest;

beforeAll(async () => {
  bundled = await bundleProcesses();
});
afterAll(() => bundled.dispose());
beforeEach(() => {
  the = new RuntimeUnderTest(bundled);
});
afterEach(() => the.dispose());

/** Goes on once the file is there, and ends with the code it holds. */
const GATED = "echo begin; until [ -s gate ]; do sleep 0.02; done; echo end; exit $(cat gate)";

async function openGate(exitCode: number): Promise<void> {
  const { writeFile } = await import("node:fs/promises");
  await writeFile(join(the.directory, "gate"), String(exitCode));
}

function isOver(request: RunRequest): boolean {
  return the.logOf(request).endsWith("end\n");
}

test("the next server finds what runs, and hears its end", async () => {
  const owner = await the.owner();
  const request = the.script(GATED);
  const pid = await owner.start(request);
  await owner.kill();
  await the.open();
  const { running, ended } = await the.runtime.recover();
  expect(running).toMatchObject([{ id: request.id, pid }]);
  expect(ended).toEqual([]);
  await openGate(7);
  expect(await the.exitOf(request.id)).toMatchObject({ exitCode: 7 });
  expect(the.logOf(request)).toBe("begin\nend\n");
});

test("what ended while there was no server is told until it is forgotten", async () => {
  const owner = await the.owner();
  const request = the.script(GATED);
  await owner.start(request);
  await owner.kill();
  await openGate(3);
  await until(() => isOver(request));
  await the.open();
  const all = async () => (await the.runtime.recover()).ended;
  await until(() => isOver(request));
  let ended = await all();
  // Its process is over a moment before its slot has said so.
  while (ended.length === 0) ended = await all();
  expect(ended).toMatchObject([{ id: request.id, exitCode: 3 }]);
  expect(await all()).toHaveLength(1);
  the.runtime.forget(request.id);
  expect(await all()).toEqual([]);
  await the.killSpawner();
  expect(await all()).toEqual([]);
});

test("runs outlive the spawner, and their ends are told by the next one", async () => {
  await the.open();
  const request = the.script(GATED);
  const { startedMs } = await the.start(request);
  await the.killSpawner();
  await openGate(9);
  const exit = await the.exitOf(request.id);
  expect(exit).toMatchObject({ exitCode: 9, startedMs });
  expect(exit).not.toHaveProperty("isLost");
  expect(the.logOf(request)).toBe("begin\nend\n");
});

test("what the machine can do is known also while there is no spawner", async () => {
  await the.open();
  const { can } = the.runtime;
  const seen: unknown[] = [];
  const watching = setInterval(() => seen.push(the.runtime.can), 1);
  await the.killSpawner();
  await the.start(the.script("true"));
  clearInterval(watching);
  expect(seen.length).toBeGreaterThan(0);
  for (const each of seen) expect(each).toEqual(can);
});

test("a signal that ended a run is told though nobody watched", async () => {
  const owner = await the.owner();
  const request = the.script("echo $$; exec sleep 1000");
  await owner.start(request);
  await until(() => the.logOf(request) !== "");
  await owner.kill();
  await the.killSpawner();
  process.kill(Number(the.logOf(request)), "SIGTERM");
  await until(() => !isAlive(Number(the.logOf(request))));
  await the.open();
  await the.runtime.recover();
  const exit =
    (await the.runtime.recover()).ended.find(({ id }) => id.podUid === request.id.podUid) ??
    (await the.exitOf(request.id));
  expect(exit).toMatchObject({ exitCode: 143, signal: 15 });
});

test("an adopted run is signalled as one's own", async () => {
  await the.open();
  const requests = [the.script("sleep 1000 & wait"), the.script("trap '' TERM; sleep 1000 & wait")];
  for (const request of requests) await the.start(request);
  await the.killSpawner();
  const [first, second] = requests as [RunRequest, RunRequest];
  await the.runtime.signal(first.id, "TERM");
  expect(await the.exitOf(first.id)).toMatchObject({ exitCode: 143, signal: 15 });
  await the.runtime.signal(second.id, "KILL");
  expect(await the.exitOf(second.id)).toMatchObject({ exitCode: 137, signal: 9 });
});

test("a run whose slot vanished without a word is lost, and what is left of it gone", async () => {
  await the.open();
  const request = the.script("trap '' TERM HUP; echo $$; while :; do sleep 1000; done");
  const { pid } = await the.start(request);
  await until(() => the.logOf(request) !== "");
  process.kill(pid, "SIGKILL");
  expect(await the.exitOf(request.id)).toMatchObject({ exitCode: 137, isLost: true });
  expect(isAlive(Number(the.logOf(request)))).toBe(false);
});

test("of server and spawner killed time and again nothing runs twice", async () => {
  const requests = Array.from({ length: 40 }, (_, index) => {
    return the.script(`echo ${index}; sleep 0.0${index % 10}; exit ${index}`);
  });
  const rest = [...requests];
  for (let round = 0; round < 3; round++) {
    const owner = await the.owner();
    for (const request of rest.splice(0, 8)) await owner.start(request);
    if (round % 2 === 1) await the.killSpawner();
    await owner.kill();
  }
  await the.open();
  const { running, ended } = await the.runtime.recover();
  expect(running.length + ended.length).toBe(requests.length - rest.length);
  const starts = rest.map((request) => the.start(request));
  await the.killSpawner();
  await Promise.all(starts);
  const early = new Map(ended.map((exit) => [exit.id.podUid, exit]));
  for (const [index, request] of requests.entries()) {
    const exit = early.get(request.id.podUid) ?? (await the.exitOf(request.id));
    expect(exit).toMatchObject({ exitCode: index });
    expect(the.logOf(request)).toBe(`${index}\n`);
  }
});

test("a spawner of another version makes room, and its runs go on", async () => {
  const other = join(bundled.spawner, "..", "other-spawner.js");
  copyFileSync(bundled.spawner, other);
  const { appendFile } = await import("node:fs/promises");
  await appendFile(other, "\n// Another build.\n");
  await the.open(other);
  const request = the.script(GATED);
  await the.start(request);
  const first = the.spawnerPid();
  await the.runtime.close({ leavesRunning: true });
  expect(isAlive(first)).toBe(true);
  await the.open();
  expect(the.spawnerPid()).not.toBe(first);
  expect((await the.runtime.recover()).running).toMatchObject([{ id: request.id }]);
  await openGate(4);
  expect(await the.exitOf(request.id)).toMatchObject({ exitCode: 4 });
});

test("closing ends all, or leaves what runs", async () => {
  await the.open();
  const request = the.script("echo $$; exec sleep 1000");
  await the.start(request);
  await until(() => the.logOf(request) !== "");
  const pid = Number(the.logOf(request));
  await the.runtime.close({ leavesRunning: true });
  expect(isAlive(pid)).toBe(true);
  await the.open();
  const spawner = the.spawnerPid();
  await the.runtime.close({ leavesRunning: false });
  expect(isAlive(pid)).toBe(false);
  await until(() => !isAlive(spawner));
  await the.open();
  const { ended } = await the.runtime.recover();
  expect(ended).toMatchObject([{ id: request.id, exitCode: 137, signal: 9 }]);
});

test("a spawner leaves when the last run that its server left is over", async () => {
  await the.open();
  const request = the.script(GATED);
  await the.start(request);
  const spawner = the.spawnerPid();
  await the.runtime.close({ leavesRunning: true });
  await openGate(3);
  await until(() => !isAlive(spawner));
  await the.open();
  const { ended } = await the.runtime.recover();
  expect(ended).toMatchObject([{ id: request.id, exitCode: 3 }]);
});

test("closing ends all also when the spawner has just died", async () => {
  await the.open();
  const request = the.script("echo $$; exec sleep 1000");
  await the.start(request);
  await until(() => the.logOf(request) !== "");
  const pid = Number(the.logOf(request));
  await the.killSpawner();
  await the.runtime.close({ leavesRunning: false });
  expect(isAlive(pid)).toBe(false);
});

test("files of slots do not pile up", async () => {
  await the.open();
  for (let index = 0; index < 20; index++) await the.run(the.script("exit 0"));
  await the.killSpawner();
  await the.runtime.recover();
  const slots = () => readdirSync(the.agentDirectory).filter((name) => name.startsWith("slot-"));
  expect(slots().length).toBeLessThanOrEqual(8);
  expect(existsSync(join(the.agentDirectory, "runs"))).toBe(true);
  expect(readFileSync(join(the.agentDirectory, "runs"), "utf8")).toContain("x 20 0 0 -");
});

test("a directory with a long name has room for a socket", async () => {
  const deep = join(the.directory, ..."abcdefgh".split("").map((letter) => letter.repeat(30)));
  Object.defineProperty(the, "agentDirectory", { value: deep });
  await the.open();
  expect(await the.run(the.script("exit 6"))).toMatchObject({ exitCode: 6 });
});

test("a spawner that nobody reached leaves when its starter has ended", async () => {
  mkdirSync(the.agentDirectory, { recursive: true });
  // The shell is the starter: it ends at once.
  const start = '"$0" "$1" "$2" version $$ >/dev/null 2>&1 & echo $!';
  const args = ["-c", start, process.execPath, bundled.spawner, the.agentDirectory];
  const pid = Number(execFileSync("/bin/sh", args, { encoding: "utf8" }));
  await until(() => existsSync(join(the.agentDirectory, "spawner.sock")) || !isAlive(pid));
  await until(() => !isAlive(pid));
  expect(readdirSync(join(the.agentDirectory, "lock"))).toEqual([]);
});
