import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Bundled, bundleProcesses } from "../../../../test/agent/bundled.ts";
import { PATH, RuntimeUnderTest, until } from "../../../../test/agent/runtime-under-test.ts";
import type { ExecRequest, RunRequest } from "../runtime.ts";

let bundled: Bundled;
let the: RuntimeUnderTest;

beforeAll(async () => {
  bundled = await bundleProcesses();
});
afterAll(() => bundled.dispose());
beforeEach(async () => {
  the = new RuntimeUnderTest(bundled);
  await the.open();
});
afterEach(() => the.dispose());

const never = new AbortController().signal;

function hook({ id }: RunRequest, text: string): ExecRequest {
  return {
    of: id,
    name: "postStart",
    command: ["sh", "-c", text],
    environment: [["PATH", PATH]],
    workingDirectory: the.directory,
  };
}

async function beside(text: string, run = "sleep 100"): Promise<[RunRequest, Promise<number>]> {
  const request = the.script(run);
  await the.start(request);
  return [request, the.runtime.exec(hook(request, text), never)];
}

/** "" while there is no such file. */
function notesIn(file: string): string {
  const path = join(the.directory, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

test("a command beside a run tells its exit code, and ends nothing else", async () => {
  const [request, exec] = await beside("echo heard by nobody; exit 3");
  expect(await exec).toBe(3);
  expect(the.exits).toEqual([]);
  await the.runtime.signal(request.id, "KILL");
  await the.exitOf(request.id);
  expect(the.logOf(request)).toBe("");
});

test("what it leaves behind stays as long as its run, and no longer", async () => {
  const loop = "while :; do date +%s%N > beat; sleep 0.05; done";
  const [request, exec] = await beside(`(${loop}) & exit 0`);
  expect(await exec).toBe(0);
  await until(() => notesIn("beat") !== "");
  const first = notesIn("beat");
  await until(() => notesIn("beat") !== first);
  await the.runtime.signal(request.id, "KILL");
  await the.exitOf(request.id);
  const last = notesIn("beat");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(notesIn("beat")).toBe(last);
});

test("it ends with its run", async () => {
  const [request, exec] = await beside("sleep 100");
  await the.runtime.signal(request.id, "KILL");
  await the.exitOf(request.id);
  expect(await exec).toBe(137);
});

test("it ends when it is cut short", async () => {
  const request = the.script("sleep 100");
  await the.start(request);
  const cut = new AbortController();
  const exec = the.runtime.exec(hook(request, "touch began; sleep 100"), cut.signal);
  await until(() => existsSync(join(the.directory, "began")));
  cut.abort();
  expect(await exec).toBe(137);
  expect(the.exits).toEqual([]);
});

test("one that cannot begin is refused", async () => {
  const request = the.script("sleep 100");
  await the.start(request);
  const missing = { ...hook(request, ""), command: ["no-such-command"] };
  await expect(the.runtime.exec(missing, never)).rejects.toThrow("executable file not found");
});

test("asked for by the next server it is the same one", async () => {
  const [request] = await beside("echo once >> hook; sleep 0.3; exit 4");
  await until(() => {
    try {
      return notesIn("hook") !== "";
    } catch {
      return false;
    }
  });
  await the.runtime.close({ leavesRunning: true });
  await the.open();
  const { running, ended } = await the.runtime.recover();
  expect(running.map(({ id }) => id)).toEqual([request.id]);
  expect(ended).toEqual([]);
  const again = hook(request, "echo twice >> hook");
  expect(await the.runtime.exec(again, never)).toBe(4);
  expect(await the.runtime.exec(again, never)).toBe(4);
  expect(notesIn("hook")).toBe("once\n");
});

test("it is forgotten with its run", async () => {
  const [request, exec] = await beside("echo once >> hook");
  await exec;
  await the.runtime.signal(request.id, "KILL");
  await the.exitOf(request.id);
  the.runtime.forget(request.id);
  await the.start(request);
  await the.runtime.exec(hook(request, "echo again >> hook"), never);
  expect(notesIn("hook")).toBe("once\nagain\n");
});
