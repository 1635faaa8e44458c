/**
 * Pure: what each command of a story means for its run. A command that was killed may have taken
 * effect or not: there is a world for both, and a history is right if it is right in one of them.
 */
import type { LegSeen, PlaceSeen } from "./history.ts";
import { type Flags, type List, taskNames } from "./story.ts";

export interface Context {
  readonly seen: LegSeen;
  /** Lines of the journal: from its start to the start of the next command on the run. */
  readonly from: number;
  readonly until: number;
  /** The list in force, and the one before. */
  readonly list: List;
  readonly tasks: readonly string[];
  readonly version: number;
  readonly formerVersion: number | undefined;
  readonly flags: Flags;
  /** More than one where a Job may go on with what it was told first. */
  readonly retries: readonly number[];
  readonly jobs: number;
  /** From where on the history of the run counts: its first command, or its last replacement. */
  readonly epochFrom: number;
  /** Where the count of failures may start. */
  readonly countsFrom: readonly number[];
  /** Whether the command made a new Job, whatever was there before. */
  readonly isNewJob: boolean;
  /** Items that the user named. */
  readonly named: readonly string[];
  readonly wasFinished: Certainty;
  /** What tasks that begin now may see. */
  readonly places: readonly PlaceSeen[];
  /** The command had nothing to do, and says so. */
  readonly isIdle: boolean;
}

export type Certainty = "yes" | "no" | "maybe";

/** Commands of one run. */
export function uncertainLegs(legs: readonly LegSeen[]): readonly number[] {
  return legs.flatMap(({ code, leg: { command } }, at) => {
    const isPlain = command.kind === "resume" || isEmpty(command);
    return code === null && !isPlain ? [at] : [];
  });
}

/** For each world the numbers of the commands that took no effect. */
export function worldsOf(legs: readonly LegSeen[]): readonly ReadonlySet<number>[] {
  let worlds: ReadonlySet<number>[] = [new Set<number>()];
  for (const at of uncertainLegs(legs)) {
    worlds = worlds.flatMap((world) => [world, new Set([...world, at])]);
  }
  return worlds;
}

function isEmpty(command: LegSeen["leg"]["command"]): boolean {
  return command.kind === "run" && command.list.values.length === 0;
}

export function contextsOf(
  legs: readonly LegSeen[],
  world: ReadonlySet<number>,
  journalLength: number,
): readonly Context[] {
  const contexts: Context[] = [];
  let former: Context | undefined;
  legs.forEach((seen, at) => {
    const until = legs[at + 1]?.from ?? journalLength;
    const next = contextOf({ seen, former, isTaken: !world.has(at), until });
    if (next === undefined) return;
    contexts.push(next);
    former = next;
  });
  return contexts;
}

interface Given {
  readonly seen: LegSeen;
  readonly former: Context | undefined;
  readonly isTaken: boolean;
  readonly until: number;
}

/** Undefined before the run exists. */
function contextOf({ seen, former, isTaken, until }: Given): Context | undefined {
  const { command } = seen.leg;
  const { from } = seen;
  const isIdle = isEmpty(command) || saysNothing(seen);
  const wasFinished = former === undefined ? "no" : finishedAfter(former);
  const hasNoEffect = isIdle || !isTaken;
  if (hasNoEffect || command.kind === "resume") {
    if (former === undefined) return undefined;
    const places = command.kind === "run" ? [...former.places, seen.place] : former.places;
    const kept = { ...former, isNewJob: false, named: [], places };
    return { ...kept, seen, from, until, wasFinished, isIdle };
  }
  if (command.kind === "retry") {
    if (former === undefined) return undefined;
    const named = (command.indexes ?? []).flatMap((index) => former.tasks[index] ?? []);
    const countsFrom = wasFinished === "yes" ? [from] : [...former.countsFrom, from];
    const kept = { ...former, seen, from, until, wasFinished, isIdle };
    return { ...kept, countsFrom, named, isNewJob: wasFinished === "yes" };
  }
  return runContext({ seen, former, isTaken, until }, wasFinished);
}

function runContext({ seen, former, until }: Given, wasFinished: Certainty): Context | undefined {
  const { command } = seen.leg;
  const { from, version = -1 } = seen;
  if (command.kind !== "run") return undefined;
  const { list, flags, mode } = command;
  const isFresh = former === undefined || mode === "replace";
  // In another directory it is another command.
  const isElsewhere = former?.places.at(-1)?.directory !== seen.place.directory;
  const isOther = isFresh || version !== former.version || isElsewhere;
  const isNewJob = isOther || wasFinished === "yes";
  const before = isFresh || wasFinished === "yes" ? [] : former.countsFrom;
  const mayCountAnew = isOther || wasFinished !== "no";
  return {
    ...{ seen, from, until, list, version, flags, isNewJob, wasFinished, isIdle: false },
    tasks: taskNames(seen.leg.run, list),
    formerVersion: isFresh ? undefined : former.version,
    retries: isNewJob ? [flags.retries] : [...new Set([...former.retries, flags.retries])],
    jobs: isNewJob && isFresh ? flags.jobs : Math.max(flags.jobs, former?.jobs ?? 0),
    epochFrom: isFresh ? from : former.epochFrom,
    countsFrom: mayCountAnew ? [...before, from] : before,
    named: [],
    places: isFresh || version !== former.version ? [seen.place] : [...former.places, seen.place],
  };
}

/** "nothing is run again", "is finished": commands that refuse, or find nothing to do. */
function saysNothing({ out, error, leg }: LegSeen): boolean {
  if (leg.command.kind === "retry") return out.includes("nothing is run again");
  if (leg.command.kind === "run") return error.includes("is not finished; use --resume");
  return leg.command.kind === "resume" && error.includes("is finished");
}

function finishedAfter({ seen, isIdle, wasFinished }: Context): Certainty {
  if (isIdle) return wasFinished;
  if (seen.code === null) return "maybe";
  return seen.code === 0 || seen.code === 1 ? "yes" : "no";
}
