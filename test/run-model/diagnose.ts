/** What is known when a command does not end: processes, last output, what the run says of itself. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { commandLineOf, type Stage, type Started } from "./stage.ts";
import type { Leg } from "./story.ts";

const LAST_LETTERS = 1500;
const LAST_LINES = 12;

export function describeHang(leg: Leg, started: Started, stage: Stage): string {
  const groups: [string, readonly number[]][] = [
    ["cli", stage.clis()],
    ["spawner", stage.spawner()],
    ["slot", stage.slots()],
    ["task", stage.tasks().map(({ pid }) => pid)],
  ];
  const processes = groups.flatMap(([what, pids]) =>
    pids.map((pid) => `  ${what} ${pid} ${stateOf(pid)} ${commandLineOf(pid).slice(0, 120)}`),
  );
  const journal = read(stage.path("journal")).trimEnd().split("\n").slice(-LAST_LINES);
  return [
    `${leg.command.kind} of ${leg.run} does not end`,
    ...["processes:", ...processes, "journal:", ...journal.map((line) => `  ${line}`)],
    ...["stdout:", last(started.out()), "stderr:", last(started.error())],
    ...["status:", last(askStatus(leg.run, stage))],
    ...["engine.log:", last(read(path.join(stage.data, "engine.log")))],
    ...["spawner.log:", last(read(path.join(stage.data, "agent", "spawner.log")))],
  ].join("\n");
}

/** The process that hangs may not answer: the wait for it is limited. */
function askStatus(run: string, stage: Stage): string {
  const args = [stage.program, "status", run, "-o", "json", "--data", stage.data];
  const { stdout, stderr } = spawnSync(process.execPath, args, { timeout: 5000, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

function stateOf(pid: number): string {
  return /^State:\s+(\S)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? "?";
}

function last(text: string): string {
  return text
    .slice(-LAST_LETTERS)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
