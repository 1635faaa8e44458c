/** A server and its spawner at moments that real ones rarely meet at. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log.ts";
import { socketAddress } from "../../spawner/address.ts";
import type { EndedRun, News, RunningRun } from "../../spawner/protocol.ts";
import { openProcessRuntime } from "./process-runtime.ts";

const RUN = { run: "uid/c/0", startedMs: 1 };
const RUNNING: RunningRun = { ...RUN, pid: 1234 };
const ENDED: EndedRun = { ...RUN, exitCode: 3, finishedMs: 2 };

const POLITE: { readonly [order: string]: Answer } = {
  greet: () => [{ news: "greeting", version: "", can: CAN }],
  close: () => [{ news: "closed" }],
};

const CAN = {
  enforcesMemory: false,
  enforcesCpu: false,
  sandbox: { hasNetwork: false, hasUsers: false },
};

let directory: string;
let spawner: Server;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tally-recover-"));
});
afterEach(() => {
  spawner.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The last news of a spawner. */
const DIES: News = { news: "retiring" };

type Answer = () => readonly News[];

/** Answers each order with one write. */
function listen(answers: { readonly [order: string]: Answer }): Promise<void> {
  spawner = createServer((socket: Socket) => {
    socket.setEncoding("utf8").on("data", (text: string) => {
      for (const line of text.trim().split("\n")) {
        const news = answers[JSON.parse(line).order]?.() ?? [];
        const text = news.map((each) => `${JSON.stringify(each)}\n`).join("");
        if (news.includes(DIES)) socket.end(text);
        else socket.write(text);
      }
    });
  });
  return new Promise((resolve) => spawner.listen(socketAddress(directory), resolve));
}

test("a run that ends right after the spawner has told of it is heard to end", async () => {
  const all: News = { news: "all", running: [RUNNING], ended: [] };
  await listen({
    ...POLITE,
    tell: () => [all, { news: "ended", ...ENDED }],
  });
  const runtime = await openProcessRuntime({ directory, log: silentLog, clock: systemClock });
  const exits: number[] = [];
  runtime.onExit(({ exitCode }) => exits.push(exitCode));
  expect((await runtime.recover()).running).toHaveLength(1);
  await runtime.close({ leavesRunning: true });
  expect(exits).toEqual([3]);
});

test("a run that the spawner took along unread is started by the next one", async () => {
  const started: News = { news: "started", ...RUNNING };
  const ended: News = { news: "ended", ...ENDED };
  let starts = 0;
  await listen({
    ...POLITE,
    tell: () => [{ news: "all", running: [], ended: [] }],
    start: () => {
      starts++;
      return starts === 1 ? [started, DIES] : [started, ended];
    },
  });
  const runtime = await openProcessRuntime({ directory, log: silentLog, clock: systemClock });
  const exit = new Promise((resolve) => runtime.onExit(resolve));
  await runtime.start({
    id: { podUid: "uid", container: "c", attempt: 0 },
    command: ["true"],
    environment: [],
    logFile: join(directory, "log"),
  });
  expect(await exit).toMatchObject({ exitCode: 3 });
  expect(starts).toBe(2);
  await runtime.close({ leavesRunning: true });
});
