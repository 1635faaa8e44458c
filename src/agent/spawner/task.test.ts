import { expect, test } from "vitest";
import type { StartOrder } from "./protocol.ts";
import { composeTask, isTask } from "./task.ts";

const order: StartOrder = {
  order: "start",
  run: "u/c/0",
  command: ["work", "it's"],
  environment: [
    ["A", "1"],
    ["B", "ü"],
    ["A", "2"],
  ],
  directory: "/srv",
  logFile: "/logs/a.log",
};
const facts = { number: 7, executable: "/bin/work", marker: "u/c/0" };

const split = (task: Buffer) => task.toString("utf8").split("\0");

test("a task has its files, settings, program, arguments and environment, in this order", () => {
  const limits = [["nofile", { soft: 64n, hard: "unlimited" }]] as const;
  const restored = { umask: 0o27, limits, shell: "", prefix: [], unmet: [] };
  const task = composeTask({ ...order, errorFile: "/logs/a.err" }, { ...facts, restored });
  const [first = "", ...rest] = split(task);
  expect(first.split("\n")[1]).toBe("/srv");
  expect(rest).toEqual([
    ...["/dev/null", "/logs/a.log", "/logs/a.err", "27", "7 64 -,", "/bin/work"],
    ...["2", "work", "it's", "A=2", "B=ü", "TALLY_RUN=u/c/0", ""],
  ]);
});

test("the size of a task is counted in bytes", () => {
  const task = composeTask(order, facts);
  const end = task.indexOf("\n");
  expect(task.toString("utf8", 0, end)).toBe(`7 ${task.length - end - 1}`);
});

test("executed commands and terminals need a shell", () => {
  expect(isTask(order)).toBe(true);
  expect(isTask({ ...order, beside: "u/c/1" })).toBe(false);
  expect(isTask({ ...order, terminal: { path: "/dev/pts/1", setsid: "setsid" } })).toBe(false);
});
