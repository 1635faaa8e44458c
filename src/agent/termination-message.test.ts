import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { boundPod, containerNamed } from "../../test/builders/pod-facts.ts";
import { messageFile } from "../api/log-files.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { type LogStore, openLogs } from "./logs/log-store.ts";
import { terminationMessages, unreadMessages } from "./termination-message.ts";

let directory: string;
let logs: LogStore;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-message-"));
  logs = openLogs({ directory: path.join(directory, "logs"), clock: systemClock, log: silentLog });
});

afterEach(() => {
  logs.close();
  rmSync(directory, { recursive: true, force: true });
});

const id = { podUid: "u", container: "c", attempt: 0 };
const ownFile = (pod = boundPod()) => messageFile(logs.fileOf(pod, id));

function messageOf(
  fields: { readonly [key: string]: unknown } = {},
  { exitCode = 1, startedMs = 0, others = 0 } = {},
) {
  const rest = Array.from({ length: others }, (_, at) => containerNamed(`other-${at}`));
  const pod = boundPod({ spec: { containers: [containerNamed("c", fields), ...rest] } });
  const exit = { id, exitCode, startedMs, finishedMs: 0 };
  return terminationMessages({ logs, hasHostFiles: () => true })(pod, exit);
}

describe("what a container wrote into its own file", () => {
  test.each([0, 1])("is told when it exits with %i", async (exitCode) => {
    writeFileSync(ownFile(), "all is well\n");
    expect(await messageOf({}, { exitCode })).toBe("all is well\n");
  });

  test("is told to its last 4096 bytes", async () => {
    writeFileSync(ownFile(), `${"a".repeat(5000)}${"b".repeat(4000)}`);
    expect(await messageOf()).toBe(`${"a".repeat(96)}${"b".repeat(4000)}`);
  });

  test("is kept to its last 4096 bytes", async () => {
    writeFileSync(ownFile(), `${"a".repeat(1_000_000)}b`);
    await messageOf();
    expect(readFileSync(ownFile(), "utf8")).toBe(`${"a".repeat(4095)}b`);
  });

  test("shares twelve kilobytes with those of the pod's other containers", async () => {
    writeFileSync(ownFile(), "a".repeat(5000));
    expect(await messageOf({}, { others: 11 })).toHaveLength(1024);
  });

  test("comes before its log", async () => {
    writeFileSync(ownFile(), "mine");
    writeFileSync(logs.fileOf(boundPod(), id), "log\n");
    const terminationMessagePolicy = "FallbackToLogsOnError";
    expect(await messageOf({ terminationMessagePolicy })).toBe("mine");
  });

  test("is nothing where there is none, without a look at anything else", () => {
    expect(messageOf()).toBeUndefined();
    writeFileSync(ownFile(), "");
    expect(messageOf()).toBeUndefined();
  });
});

describe("the end of a log", () => {
  const terminationMessagePolicy = "FallbackToLogsOnError";
  const write = (text: string) => writeFileSync(logs.fileOf(boundPod(), id), text);

  test.each([
    [0, undefined],
    [1, "no more disks\n"],
  ])("is the message of one that exits with %i: %s", async (exitCode, expected) => {
    write("no more disks\n");
    expect(await messageOf({ terminationMessagePolicy }, { exitCode })).toBe(expected);
  });

  test("is 80 lines", async () => {
    write(Array.from({ length: 100 }, (_, line) => `${line}\n`).join(""));
    const message = await messageOf({ terminationMessagePolicy });
    expect(message?.split("\n").slice(0, -1)).toHaveLength(80);
  });

  test("or 2048 bytes", async () => {
    write("x".repeat(3000));
    expect(await messageOf({ terminationMessagePolicy })).toHaveLength(2048);
  });

  test("that is empty is no message", async () => {
    expect(await messageOf({ terminationMessagePolicy })).toBeUndefined();
  });
});

describe("a path of the container's choice", () => {
  const chosen = () => path.join(directory, "message");
  const fields = () => ({ terminationMessagePath: chosen() });

  test("is read, and taken away for the next run", async () => {
    const startedMs = Date.now();
    writeFileSync(chosen(), "done");
    expect(await messageOf(fields(), { startedMs })).toBe("done");
    expect(existsSync(chosen())).toBe(false);
    expect(await messageOf(fields(), { startedMs })).toBe("done");
  });

  test("is one in the working directory where it is relative", async () => {
    const relative = { terminationMessagePath: "message", workingDir: directory };
    const startedMs = Date.now();
    writeFileSync(chosen(), "done");
    expect(await messageOf(relative, { startedMs })).toBe("done");
  });

  test("at which there was a file before is left alone, and warned of", () => {
    writeFileSync(chosen(), "precious");
    const container = boundPod({ spec: { containers: [containerNamed("c", fields())] } }).spec;
    const [notice] = unreadMessages(container.containers ?? []);
    expect(notice).toMatchObject({ reason: "TerminationMessageNotRead", container: "c" });
    expect(messageOf(fields(), { startedMs: Date.now() + 60_000 })).toBeUndefined();
    expect(readFileSync(chosen(), "utf8")).toBe("precious");
  });

  test("in a directory that is not there is no message and no harm", () => {
    const terminationMessagePath = path.join(directory, "no", "message");
    expect(messageOf({ terminationMessagePath })).toBeUndefined();
    expect(unreadMessages([{ name: "c", terminationMessagePath, resources: {} }])).toEqual([]);
  });
});
