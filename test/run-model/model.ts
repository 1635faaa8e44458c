/**
 * Pure: the reference model of `tally run`. It takes a story and the history of playing it, and
 * returns everything that is wrong. It is written from the documentation and imports nothing of the
 * program. If a kill makes several outcomes right, it accepts these and no others:
 *
 * 1. An attempt whose end nobody could record counts and runs again. See attempts.ts.
 * 2. A command that was killed took effect or did not. See world.ts.
 * 3. An item that failed for good, in a run that was not finished, may be run again by a resume.
 *
 * This file judges the tasks, printed.ts the output of commands, and reports.ts the reports.
 */
import { type Attempt, attemptsOf } from "./attempts.ts";
import {
  byTask,
  contextAt,
  failuresIn,
  hasSucceeded,
  isHalted,
  mayGoOnUnseen,
  mostFailuresIn,
  type RunFacts,
  stateAt,
} from "./facts.ts";
import type { History, LegSeen, Violation } from "./history.ts";
import { judgePrinted } from "./printed.ts";
import { judgeReports } from "./reports.ts";
import type { Act, Story } from "./story.ts";
import { type Context, contextsOf, worldsOf } from "./world.ts";

export function judge(
  story: Story,
  history: History,
  keys: ReadonlyMap<string, number>,
): readonly Violation[] {
  if (history.hang !== undefined) return [{ kind: "hang", text: history.hang }];
  const found: Violation[] = leftBehind(history).map((text) => ({ kind: "left behind", text }));
  const runs = new Set(history.legs.map(({ leg }) => leg.run));
  for (const run of runs) found.push(...judgeRun(story, history, keys, run));
  return found;
}

/** A command that has nothing to do leaves the spawner of an earlier one to leave by itself. */
function leftBehind({ left, legs }: History): readonly string[] {
  const isIdle = legs.at(-1)?.error.includes("the list is empty") ?? false;
  return isIdle ? left.filter((each) => each.startsWith("task")) : left;
}

/** In the world in which least is wrong. */
function judgeRun(
  story: Story,
  history: History,
  keys: ReadonlyMap<string, number>,
  run: string,
): readonly Violation[] {
  const legs = history.legs.filter(({ leg }) => leg.run === run);
  const attempts = attemptsOf(history).filter(({ begin }) => begin.run === run);
  let best: readonly Violation[] | undefined;
  for (const world of worldsOf(legs)) {
    const contexts = contextsOf(legs, world, history.journal.length);
    const facts = { story, run, history, contexts, attempts, keys };
    const found = LAWS.flatMap((law) => law(facts));
    if (best === undefined || weight(found) < weight(best)) best = found;
  }
  return [...judgeUnexpected(legs, history, run), ...(best ?? [])];
}

/** In a world in which tasks begin that nobody asked for, the wrong commands took effect. */
function weight(violations: readonly Violation[]): number {
  const isWorst = ({ kind }: Violation) => kind.startsWith("begins ");
  return violations.length + violations.filter(isWorst).length * 1_000;
}

const LAWS: readonly ((facts: RunFacts) => readonly Violation[])[] = [
  judgeBegins,
  judgeRepetitions,
  judgeParallelism,
  judgeOrder,
  judgeEnds,
  judgePrinted,
  judgeReports,
];

/** What is wrong in every world. */
function judgeUnexpected(legs: readonly LegSeen[], { journal }: History, run: string): Violation[] {
  const found: Violation[] = [];
  for (const line of journal) {
    if (line.kind !== "begin" || line.run !== run) continue;
    const text = `index ${line.index} of version ${line.version}`;
    if (line.task === undefined) found.push({ kind: "unknown item", text });
    else if (!line.task.startsWith(`${run} ${JSON.stringify(line.values)} `)) {
      found.push({ kind: "wrong item", text: `${line.task} was given ${line.values.join(" | ")}` });
    }
  }
  for (const { reportProblem } of legs) {
    if (reportProblem !== undefined) found.push({ kind: "report fails", text: reportProblem });
  }
  return found;
}

/** Tasks begin of the list in force, or of the former one until the first of the new one began. */
function judgeBegins(facts: RunFacts): readonly Violation[] {
  const found: Violation[] = [];
  for (const { task, number, begin, beginAt, fate } of facts.attempts) {
    const context = contextAt(facts, beginAt);
    const name = `${task}, attempt ${number}`;
    if (!context) {
      found.push({ kind: "begins without a run", text: name });
      continue;
    }
    if (fate === "vanished") found.push({ kind: "task was ended", text: name });
    const { version, formerVersion, from } = context;
    const hasNew = facts.attempts.some(
      (each) => each.beginAt >= from && each.beginAt < beginAt && each.begin.version === version,
    );
    const isNew = begin.version === version;
    if (!isNew && (begin.version !== formerVersion || hasNew)) {
      found.push({ kind: "begins of another list", text: `${name} of version ${begin.version}` });
    }
    const isPlaced = context.places.some((each) => isSamePlace(each, begin.place));
    if (isNew && !isPlaced) {
      const text = `${name} has ${placeText(begin.place)}, not ${context.places.map(placeText)}`;
      found.push({ kind: "surroundings", text });
    }
  }
  return found;
}

function placeText({ word, umask, files, directory }: Context["places"][number]): string {
  return `${word} ${umask} ${files} ${directory}`;
}

function isSamePlace(one: Context["places"][number], other: Context["places"][number]): boolean {
  return placeText(one) === placeText(other);
}

/** Never two at once, never again after a success, never more often than it may fail. */
function judgeRepetitions(facts: RunFacts): readonly Violation[] {
  const found: Violation[] = [];
  for (const [task, attempts] of byTask(facts.attempts)) {
    attempts.forEach((attempt, at) => {
      const context = contextAt(facts, attempt.beginAt);
      const text = `${task}, attempt ${attempt.number}`;
      const earlier = attempts.slice(0, at);
      const isBeside = ({ end }: Attempt) => end !== undefined && end.at > attempt.beginAt;
      if (earlier.some(isBeside)) found.push({ kind: "two at once", text });
      if (!context) return;
      const own = earlier.filter(({ beginAt }) => beginAt >= context.epochFrom);
      const last = own.at(-1);
      if (last && hasSucceeded(last) && !isNamedBetween(facts, task, last, attempt)) {
        found.push({ kind: "again after success", text });
      }
      // The engine of another run may have seen it through, and this command begun anew.
      const retries = Math.max(...context.retries);
      const most = mayGoOnUnseen(facts, context) ? 2 * retries + 1 : retries;
      const fewest = Math.min(...context.countsFrom.map((from) => failuresIn(own, from)));
      if (fewest > most) found.push({ kind: "too many attempts", text });
    });
  }
  return found;
}

function isNamedBetween(facts: RunFacts, task: string, one: Attempt, other: Attempt): boolean {
  return facts.contexts.some(
    ({ from, named }) =>
      named.includes(task) && from >= (one.end?.at ?? 0) && from <= other.beginAt,
  );
}

/** As many as -j says at a time, not counting what lost its slot. */
function judgeParallelism(facts: RunFacts): readonly Violation[] {
  for (const { beginAt, task } of facts.attempts) {
    const jobs = contextAt(facts, beginAt)?.jobs ?? Number.POSITIVE_INFINITY;
    const running = facts.attempts.filter((each) => isRunning(each, beginAt)).length;
    if (running <= jobs) continue;
    const text = `${running} run when ${task} begins, at most ${jobs} may`;
    return [{ kind: "too many at once", text }];
  }
  return [];
}

/** Attempts whose end is not in the journal are counted as over at once. */
function isRunning({ fate, beginAt, end }: Attempt, line: number): boolean {
  if (beginAt === line) return true;
  return fate === "ended" && beginAt < line && end !== undefined && end.at > line;
}

/**
 * Items begin in the order of the list. Processes that are started one after the other may write
 * their lines in another order, but each of them takes one of the places that -j gives.
 */
function judgeOrder(facts: RunFacts): readonly Violation[] {
  return facts.contexts.flatMap((context) => {
    const { seen, from, until, tasks, jobs } = context;
    if (seen.interrupted?.act.startsWith("kill")) return [];
    const begins = firstBegins(facts, context);
    for (const { attempt, index } of begins) {
      const { beginAt } = attempt;
      const missing = begins.filter(
        (each) => each.index < index && each.attempt.beginAt > beginAt,
      ).length;
      const running = facts.attempts.filter((each) => isRunning(each, beginAt)).length;
      if (missing === 0 || missing + running <= jobs) continue;
      const order = begins.map((each) => each.index).join(" ");
      const text = `-j ${jobs}, ${tasks.length} items, lines ${from} to ${until}: ${order}`;
      return [{ kind: "order", text }];
    }
    return [];
  });
}

/** Of items that had not begun before, so that none of them waits for another attempt. */
function firstBegins(facts: RunFacts, { from, until, epochFrom, tasks, version }: Context) {
  return tasks
    .flatMap((task, index) => {
      const own = facts.attempts.filter((each) => each.task === task && each.beginAt >= epochFrom);
      const [attempt] = own;
      if (!attempt || attempt.beginAt < from || attempt.beginAt >= until) return [];
      return attempt.begin.version === version ? [{ attempt, index }] : [];
    })
    .sort((one, other) => one.attempt.beginAt - other.attempt.beginAt);
}

/** How a command ended, and whether it was right to end. */
function judgeEnds(facts: RunFacts): readonly Violation[] {
  return facts.contexts.flatMap((context) => judgeEnd(facts, context));
}

function judgeEnd(facts: RunFacts, context: Context): readonly Violation[] {
  const { seen, tasks, named, from } = context;
  const { code, leg, error, interrupted } = seen;
  const what = `${leg.command.kind} in step ${seen.step}`;
  if (code === null) return isKilled(facts, seen) ? [] : [{ kind: "died", text: what }];
  if (context.isIdle) return judgeIdle(facts, context, what);
  const isAsked = ["interrupt", "interrupt twice", "terminate"].includes(interrupted?.act ?? "");
  if (code === 130 && isAsked) return [];
  if (code !== 0 && code !== 1) {
    return [{ kind: "command fails", text: `${what}: exit ${code}: ${error.slice(-500)}` }];
  }
  const found: Violation[] = [];
  const states = tasks.map((task) => stateAt(facts, context, task));
  const isSuccess = states.every((state) => state === "succeeded");
  if ((code === 0) !== isSuccess) {
    found.push({ kind: "exit code", text: `${what}: exit ${code}, items ${states.join(" ")}` });
  }
  if (isHalted(context, states)) return found;
  tasks.forEach((task, index) => {
    if (states[index] === "open") found.push({ kind: "not run to its end", text: task });
    if (states[index] === "failed" && !mayGiveUp(facts, context, task)) {
      found.push({ kind: "given up early", text: task });
    }
    // An item that is running when it is named is not run once more.
    const ran = facts.attempts.some(
      (each) => each.task === task && (each.end?.at ?? each.beginAt) >= from,
    );
    if (named.includes(task) && !ran) found.push({ kind: "not run on request", text: task });
  });
  return found;
}

/** Whether somebody of the story killed the command. */
function isKilled({ history }: RunFacts, { leg, step, interrupted }: LegSeen): boolean {
  // Ctrl-C before the program listens to it ends it as it ends any other.
  if (interrupted && !KILLS_OTHERS.includes(interrupted.act)) return true;
  if (leg.interruption && "dieAt" in leg.interruption.moment) return true;
  return history.legs.some((each) => each.step === step && each.interrupted?.act === "kill all");
}

const KILLS_OTHERS: readonly Act[] = ["kill spawner", "kill slot", "kill slots and spawner"];

function judgeIdle(facts: RunFacts, context: Context, what: string): readonly Violation[] {
  const { seen, tasks, wasFinished } = context;
  const states = tasks.map((task) => stateAt(facts, context, task));
  switch (seen.leg.command.kind) {
    case "run":
      if (seen.leg.command.mode === "replace" && wasFinished !== "yes") return [];
      return seen.code === 0 ? [] : [{ kind: "exit code", text: `${what} of nothing` }];
    case "resume":
      return wasFinished === "no" ? [{ kind: "refused", text: what }] : [];
    case "retry":
      return states.includes("failed") && wasFinished === "yes"
        ? [{ kind: "refused", text: `${what}: ${states.join(" ")}` }]
        : [];
  }
}

function mayGiveUp(facts: RunFacts, context: Context, task: string): boolean {
  const { epochFrom, seen, countsFrom, retries, wasFinished, from } = context;
  const own = facts.attempts.filter(
    (each) => each.task === task && each.beginAt >= epochFrom && each.beginAt < seen.to,
  );
  const ranNow = own.some(({ beginAt }) => beginAt >= from);
  // It was given up before, and nobody asked for it.
  if (!ranNow && (wasFinished !== "yes" || seen.leg.command.kind === "retry")) return true;
  const most = Math.max(...countsFrom.map((since) => mostFailuresIn(own, since)));
  return most > Math.min(...retries);
}
