/** Describes a command that does not end: its processes, its last output, the status of its run. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { pause } from "./interrupt.ts";
import { commandLineOf, type Stage, type Started } from "./stage.ts";
import type { Leg } from "./story.ts";

const LAST_LETTERS = 1500;
const LAST_LINES = 12;

export async function describeHang(leg: Leg, started: Started, stage: Stage): Promise<string> {
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
    ...["status:", last(await askStatus(leg.run, stage))],
    ...["engine.log:", last(read(path.join(stage.data, "engine.log")))],
    ...["spawner.log:", last(read(path.join(stage.data, "agent", "spawner.log")))],
  ].join("\n");
}

/** The process that hangs may not answer: the wait for it is limited. */
async function askStatus(run: string, stage: Stage): Promise<string> {
  const asked = stage.start({ args: ["status", run, "-o", "json"], place: stage.placeOf(0) });
  await Promise.race([asked.ended, pause(LONGEST_ANSWER_MS)]);
  return `${asked.out()}${asked.error()}`;
}

const LONGEST_ANSWER_MS = 10_000;

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
