/**
 * Plays a story against the real program and notes what was seen. It judges nothing; a command that
 * does not end within the patience is a hang, which ends the story.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describeHang } from "./diagnose.ts";
import type { History, InterruptionSeen, LegSeen, Reports } from "./history.ts";
import { interrupt, pause, untilMoment } from "./interrupt.ts";
import { Stage, type Started } from "./stage.ts";
import type { Flags, Leg, Step, Story } from "./story.ts";

export interface PlayOptions {
  /** `main.js` of the build that is tried. */
  readonly program: string;
  /** How long a command may take. */
  readonly patienceMs?: number;
}

export interface Played {
  readonly history: History;
  /** What each task calls itself in its output. */
  readonly keys: ReadonlyMap<string, number>;
}

const DIST = path.resolve(
  process.env["RUN_MODEL_PROGRAM"] ?? path.join(import.meta.dirname, "../../dist/main.js"),
);
/** Of an idle machine a hundredth is enough. */
const PATIENCE_MS = Number(process.env["TALLY_MODEL_PATIENCE_MS"] ?? 120_000);
/** Of the first task of a command. */
const LONGEST_START_MS = 3_000;
/** The spawner of the last run may take a moment to leave. */
const LEAVING_MS = 10_000;

export async function playStory(
  story: Story,
  { program = DIST, patienceMs = PATIENCE_MS }: Partial<PlayOptions> = {},
): Promise<Played> {
  const stage = new Stage(program, story);
  const legs: LegSeen[] = [];
  try {
    for (const [number, step] of story.steps.entries()) {
      const isLast = number === story.steps.length - 1;
      legs.push(...(await playStep(step, { stage, number, isLast, patienceMs })));
    }
    const left = await untilEmpty(stage);
    return { history: { journal: stage.journal(), legs, left }, keys: stage.keys() };
  } catch (error) {
    if (!(error instanceof Hang)) throw error;
    const hang = error.message;
    return { history: { journal: stage.journal(), legs, left: [], hang }, keys: stage.keys() };
  } finally {
    stage.dispose();
  }
}

class Hang extends Error {}

interface Playing {
  readonly stage: Stage;
  readonly number: number;
  readonly isLast: boolean;
  readonly patienceMs: number;
}

/** The second leg begins when the first has begun to work: then it is a client of the first. */
async function playStep({ legs }: Step, playing: Playing): Promise<readonly LegSeen[]> {
  const { stage } = playing;
  const played: Promise<LegSeen>[] = [];
  for (const leg of legs) {
    const before = stage.journalLength();
    const one = playLeg(leg, playing);
    played.push(one);
    if (legs.length === 1) continue;
    let isOver = false;
    const noteEnd = () => {
      isOver = true;
    };
    one.then(noteEnd, noteEnd);
    // Not for ever: it may wait for tasks that are held until the others have ended.
    const untilMs = performance.now() + LONGEST_START_MS;
    while (!isOver && stage.journalLength() === before && performance.now() < untilMs) {
      await pause(5);
    }
  }
  legs.forEach(({ release, run }, at) => {
    if (release.at !== "others") return;
    const others = played.filter((_, other) => other !== at);
    void Promise.allSettled(others).then(() => stage.release(run));
  });
  const settled = await Promise.allSettled(played);
  const seen: LegSeen[] = [];
  for (const each of settled) {
    if (each.status === "rejected") throw each.reason;
    // Only now: while another command goes on, somebody may kill the engine that answers.
    seen.push({ ...each.value, ...(await ask(each.value, playing)) });
  }
  return seen;
}

async function playLeg(leg: Leg, playing: Playing): Promise<LegSeen> {
  const { stage, patienceMs } = playing;
  const { run, release } = leg;
  const place = stage.placeOf(leg.place);
  const { args, version } = argumentsOf(leg, stage);
  if (release.at === "start") stage.release(run);
  else stage.hold(run);
  const from = stage.journalLength();
  const { moment } = leg.interruption ?? {};
  const dieAt = moment && "dieAt" in moment ? { TALLY_TEST_DIE_AT: moment.dieAt } : {};
  const started = stage.start({ args, place, environment: dieAt });
  const hanging = watchForHang(leg, started, stage, patienceMs);
  const releasing = release.at === "later" ? setTimeout(() => stage.release(run), release.ms) : 0;
  try {
    const interrupted = await Promise.race([meddle(leg, started, stage, from), hanging.hung]);
    const code = await Promise.race([started.ended, hanging.hung]);
    const to = stage.journalLength();
    return {
      ...{ leg, step: playing.number, from, to, code, place },
      ...{ out: started.out(), error: started.error() },
      ...(version === undefined ? {} : { version }),
      ...(interrupted === undefined ? {} : { interrupted }),
    };
  } finally {
    hanging.stop();
    clearTimeout(releasing);
    if (release.at === "later") stage.release(run);
  }
}

/** Rejects when a command takes longer than anybody has patience for. */
function watchForHang(leg: Leg, started: Started, stage: Stage, patienceMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(async () => {
      const text = await describeHang(leg, started, stage);
      // It was only slow, and has ended while it was looked at.
      if (started.isOver()) return;
      reject(new Hang(text));
    }, patienceMs);
  });
  return { hung, stop: () => clearTimeout(timer) };
}

async function meddle(
  { run, interruption, release }: Leg,
  started: Started,
  stage: Stage,
  from: number,
): Promise<InterruptionSeen | undefined> {
  if (interruption === undefined) return undefined;
  const begun = () => {
    const lines = stage.journal().slice(from);
    return lines.filter((line) => line.kind === "begin" && line.run === run).length;
  };
  const isHeld = () => stage.tasks().some((task) => task.run === run);
  await untilMoment(interruption.moment, started, { begun, isHeld });
  const isTooLate = started.isOver();
  const seen = isTooLate ? undefined : await interrupt(interruption.act, started, stage);
  if (release.at === "interruption") stage.release(run);
  return seen;
}

function argumentsOf(leg: Leg, stage: Stage): { args: readonly string[]; version?: number } {
  const { run, command } = leg;
  if (command.kind === "resume") return { args: ["resume", run] };
  if (command.kind === "retry") {
    const { indexes } = command;
    return {
      args: ["retry", run, ...(indexes ? ["--index", [...new Set(indexes)].join(",")] : [])],
    };
  }
  const { list, mode, flags } = command;
  const version = stage.publish(run, list, mode === "replace");
  const file = stage.path("lists", `${run}.${version}`);
  const isNull = list.values.some((value) => value.includes("\n"));
  const end = isNull ? "\0" : "\n";
  writeFileSync(file, list.values.map((value) => `${value}${end}`).join(""));
  const args = [
    ...["run", run, "-a", file, ...(isNull ? ["-0"] : []), ...flagsOf(flags)],
    ...(list.batch > 1 ? ["--batch", String(list.batch)] : []),
    ...(mode === "new" ? [] : [`--${mode}`]),
    ...["--", "/bin/sh", stage.path("task.sh"), stage.root, run, String(version)],
  ];
  return { args, version };
}

function flagsOf({ jobs, retries, halt, maxFailed, keepOrder, output }: Flags): readonly string[] {
  return [
    ...["-j", String(jobs), "--retries", String(retries), "--backoff", "10ms"],
    ...(halt === undefined ? [] : ["--halt", halt]),
    ...(maxFailed === undefined ? [] : ["--max-failed", String(maxFailed)]),
    ...(keepOrder ? ["-k"] : []),
    ...(output === "quiet" ? ["-q"] : []),
    ...(output === "json" ? ["-o", "json"] : []),
  ];
}

/** What the program says of the run now that the command has ended. */
async function ask(
  { leg: { run, command }, code, error }: LegSeen,
  { stage, isLast }: Playing,
): Promise<{ reports?: Reports; reportProblem?: string }> {
  const isNothing = /the list is empty|there (is|are) no run/.test(error);
  if (code === null || isNothing) return {};
  const place = stage.placeOf(0);
  const tell = async (...args: readonly string[]) => {
    const started = stage.start({ args, place });
    const code = await started.ended;
    // Also if nothing of it was kept: then the logs are empty, which the model judges.
    const isEmpty = args[0] === "logs" && started.error().includes("nothing was run");
    if (code === 0 || isEmpty) return started.out();
    throw new Error(`tally ${args.join(" ")}: exit ${code}: ${started.error()}`);
  };
  const values = command.kind === "run" && command.list.batch === 1 ? command.list.values : [];
  const value = isLast ? values[values.length >> 1] : undefined;
  try {
    const [results, status, logs, list, itemLogs] = await Promise.all([
      tell("results", run, "--format", "json"),
      tell("status", run, "-o", "json"),
      tell("logs", run),
      isLast ? tell("list", "-o", "json") : undefined,
      value === undefined ? undefined : tell("logs", run, `--item=${value}`),
    ]);
    const all = list === undefined ? [] : JSON.parse(list);
    const listed = all.find(({ name }: { readonly name: string }) => name === run);
    const reports: Reports = {
      results: JSON.parse(results),
      status: JSON.parse(status),
      listed: listed ?? JSON.parse(status),
      logs,
      ...(value === undefined || itemLogs === undefined
        ? {}
        : { itemLogs: { value, text: itemLogs } }),
    };
    return { reports };
  } catch (error) {
    return { reportProblem: String(error) };
  }
}

/** Nothing is left running when the last command has ended. */
async function untilEmpty(stage: Stage): Promise<readonly string[]> {
  const start = performance.now();
  for (;;) {
    const left = [
      ...stage.tasks().map(({ task, attempt }) => `task ${task}, attempt ${attempt}`),
      ...stage.spawner().map(() => "spawner"),
      ...stage.slots().map(() => "slot"),
    ];
    if (left.length === 0 || performance.now() - start > LEAVING_MS) return left;
    await pause(20);
  }
}
