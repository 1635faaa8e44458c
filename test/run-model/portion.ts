/** Plays many stories, some at a time, and counts what happened in them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Attempted, attemptSeed } from "./attempt-story.ts";

export interface PortionOptions {
  /** How many stories there are to be in all portions. */
  readonly whole: number;
  readonly stories: number;
  readonly firstSeed: number;
  /** Where the progress is kept; absent: this portion stands for itself. */
  readonly progressFile: string | undefined;
  readonly atOnce: number;
}

export interface Portion {
  readonly failures: readonly string[];
  /** The figures of all portions. */
  readonly text: string;
}

interface Progress {
  readonly nextSeed: number;
  readonly figures: { readonly [name: string]: number };
  readonly failedSeeds: readonly number[];
}

export async function playPortion(options: PortionOptions): Promise<Portion> {
  const { whole, stories, firstSeed, progressFile, atOnce } = options;
  const before = readProgress(progressFile) ?? {
    nextSeed: firstSeed,
    figures: {},
    failedSeeds: [],
  };
  const figures = new Map(Object.entries(before.figures));
  const failedSeeds = [...before.failedSeeds];
  const failures: string[] = [];
  const end = Math.min(before.nextSeed + stories, firstSeed + whole);
  let next = before.nextSeed;
  /** Seeds of which some before them may still be played. */
  const going = new Set<number>();
  const save = () => {
    if (progressFile === undefined) return;
    const nextSeed = Math.min(next, ...going);
    const progress = { nextSeed, figures: Object.fromEntries(figures), failedSeeds };
    writeFileSync(progressFile, `${JSON.stringify(progress, null, 1)}\n`);
  };
  const work = async () => {
    while (next < end && failures.length < MOST_FAILURES) {
      const seed = next++;
      going.add(seed);
      const { attempted, failure } = await attemptSeed(seed);
      going.delete(seed);
      count(attempted, figures);
      if (failure !== undefined) {
        failures.push(failure);
        failedSeeds.push(seed);
        process.stdout.write(`${failure}\n\n`);
      }
      save();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const told = [...figures].sort().map(([name, figure]) => `  ${name}: ${figure}`);
  const failed = failedSeeds.length === 0 ? "" : `; failing seeds: ${failedSeeds.join(" ")}`;
  return { failures, text: [`seeds ${firstSeed} to ${next - 1}${failed}`, ...told].join("\n") };
}

/** More of them say no more; the rest of the stories is for the next portion. */
const MOST_FAILURES = Number(process.env["RUN_MODEL_MOST_FAILURES"] ?? 5);

function readProgress(file: string | undefined): Progress | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")) as Progress;
}

function count({ history, violations, story }: Attempted, figures: Map<string, number>): void {
  const add = (name: string, by = 1) => figures.set(name, (figures.get(name) ?? 0) + by);
  add("stories");
  if (violations.length > 0) add("stories that fail");
  const lists = new Map<string, string>();
  for (const { leg, interrupted, code } of history.legs) {
    add("commands");
    if (interrupted) add(interrupted.act);
    const { moment } = leg.interruption ?? {};
    if (moment && "dieAt" in moment && code === null) add("deaths between two awaits");
    const { command, run } = leg;
    if (command.kind !== "run") {
      add(command.kind === "retry" ? "retries" : "resumes");
      continue;
    }
    if (command.mode !== "new") add(command.mode === "resume" ? "resumes" : "replaces");
    const list = JSON.stringify(command.list);
    if (lists.has(run) && lists.get(run) !== list) add("edits");
    lists.set(run, list);
  }
  add("tasks begun", history.journal.filter(({ kind }) => kind === "begin").length);
  if (new Set(story.steps.flatMap(({ legs }) => legs.map(({ run }) => run))).size > 1) {
    add("stories with two runs");
  }
}
