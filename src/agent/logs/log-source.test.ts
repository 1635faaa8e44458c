import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { someLogs, type TestLogs, textOf, write } from "../../../test/builders/logs.ts";
import { storedPod } from "../../../test/builders/pod.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { LogRequest } from "../../api/log-source.ts";
import { logSource } from "./log-source.ts";

let own: TestLogs;
beforeEach(async () => {
  own = await someLogs();
});
afterEach(() => own.dispose());

const common = { name: "c", ready: false, restartCount: 0, image: "", imageID: "", lastState: {} };

function aPod(status: object = {}): Pod {
  const containerStatuses = [{ ...common, state: { waiting: { reason: "Waits" } }, ...status }];
  const metadata = { name: "p", uid: "u" };
  return storedPod({ metadata, spec: { nodeName: "n" }, status: { containerStatuses } });
}

async function ask(pod: Pod, request: Partial<LogRequest> = {}): Promise<string> {
  const plain = { container: "c", follow: false, previous: false, timestamps: false };
  const source = logSource(own.logs, own.clock);
  const { signal } = new AbortController();
  return textOf(await source.open(pod, { ...plain, ...request }, signal));
}

function wrote(attempt: number, text: string): void {
  const run = { container: "c", attempt };
  writeFileSync(own.logs.begin(aPod(), run), text);
  own.logs.end({ podUid: "u", ...run });
}

const ended = (attempt: number) => ({ exitCode: 1, containerID: `process://u/c/${attempt}` });

test("the log is that of the last attempt, or of the one before", async () => {
  wrote(0, "first\n");
  wrote(1, "second\n");
  const pod = aPod({ state: { terminated: ended(1) }, lastState: { terminated: ended(0) } });
  expect([await ask(pod), await ask(pod, { previous: true })]).toEqual(["second\n", "first\n"]);
});

test("what runs has a log before its status says so", async () => {
  writeFileSync(own.logs.begin(aPod(), { container: "c", attempt: 0 }), "already\n");
  expect(await ask(aPod())).toBe("already\n");
});

test("what has been restarted has a run before, whatever its status says by now", async () => {
  wrote(0, "first\n");
  writeFileSync(own.logs.begin(aPod(), { container: "c", attempt: 1 }), "second\n");
  expect(await ask(aPod(), { previous: true })).toBe("first\n");
});

test.each<[object, Partial<LogRequest>, string]>([
  [{}, {}, 'container "c" in pod "p" is waiting to start: Waits'],
  [{}, { previous: true }, 'previous terminated container "c" in pod "p" not found'],
  [
    { state: { terminated: { exitCode: 0, containerID: "docker://x" } } },
    {},
    "unable to retrieve container logs for docker://x",
  ],
  [
    { state: { terminated: ended(0) } },
    {},
    "unable to retrieve container logs for process://u/c/0",
  ],
])("where there is none (%j, %j) it is said why", async (status, request, message) => {
  await expect(ask(aPod(status), request)).rejects.toMatchObject({ code: 400, message });
});

test("seconds are counted back from now", async () => {
  const { logs, clock } = own;
  const file = logs.begin(aPod(), { container: "c", attempt: 0 });
  for (const [text, seconds] of [
    ["a\n", 0],
    ["b\n", 10],
  ] as const) {
    write(file, text, clock.nowMs() + seconds * 1000);
    clock.advance(100);
  }
  clock.advance(14_800);
  const asked = await Promise.all([
    ask(aPod(), { sinceSeconds: 4 }),
    ask(aPod(), { sinceSeconds: 6 }),
    ask(aPod(), { sinceSeconds: 60 }),
    ask(aPod(), { sinceMs: clock.nowMs() - 15_000 + 5000 }),
  ]);
  expect(asked).toEqual(["", "b\n", "a\nb\n", "b\n"]);
});
