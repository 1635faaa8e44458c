/**
 * Going on with a run under its name. One that is not finished, asked for with the same list and
 * the same command, is simply left to go on. For any other a new Job takes its place, which knows
 * what is done by what the items are, and runs the rest with the command as it is typed now.
 */
import { isEqual } from "../api/equal.ts";
import type { Job } from "../api/generated/batch.ts";
import { emptyIndexes, formatIndexes, type IndexSet, parseIndexes } from "../api/index-set.ts";
import type { Json } from "../api/object.ts";
import { runsAhead } from "../api/pods-ahead.ts";
import { jobs, pods } from "../api/resources.ts";
import { LIST_CHANGED } from "../ledger/story.ts";
import { COMPLETED_INDEXES, PER_COMPLETION_ARGS } from "../worklist/names.ts";
import { fitResume, planResume, removedNames } from "../worklist/resume.ts";
import type { WorkList } from "../worklist/work-list.ts";
import { pauseRun, resumeRun } from "./control.ts";
import { createRun, isFinished, type NewRun, removeRun } from "./prepare.ts";
import type { ReachedEngine } from "./reached-engine.ts";
import { hasList, readStoredList } from "./stored-items.ts";

export interface TakenUp {
  readonly job: Job;
  /** As the Job has it, where that is not as asked. */
  readonly list?: WorkList;
  /** What the user should know. */
  readonly said: readonly string[];
}

export type ListedRun = NewRun & {
  readonly list?: WorkList;
  /** The same run with its items in another order. */
  readonly reorder?: (list: WorkList) => NewRun;
};

export async function takeUpRun(
  engine: ReachedEngine,
  asked: ListedRun,
  former: Job,
): Promise<TakenUp> {
  const { client } = engine;
  const name = nameOf(former);
  const list = await readStoredList(client, former);
  // Killed between the Job and its list: nothing was run.
  const isBare = hasList(former) && list === undefined;
  const isSameList = !isBare && isSame(list, asked.list);
  if (isSameList && isSameWork(former, asked.job)) {
    const isComplete = former.status.succeeded === former.spec.completions;
    if (isFinished(former) && isComplete) return { job: former, said: ["everything is done"] };
    if (!isFinished(former)) {
      return { job: await resumeRun(client, name, asked.job.spec.parallelism), said: [] };
    }
  }
  if (!isFinished(former) && !isBare) await drain(engine, former);
  const settled = await client.get(jobs, name);
  const plan = decide({ former: settled, list, asked, isSameList });
  const next = withCompleted(asked, plan);
  await removeRun(engine, name);
  const { list: reordered } = next;
  const job = await createRun(engine, next.run);
  return { job, ...(reordered ? { list: reordered } : {}), said: plan.said };
}

/** Before anything is removed: what cannot be said in an annotation would lose what is done. */
function withCompleted(asked: ListedRun, plan: Decided): { run: NewRun; list?: WorkList } {
  const { list, reorder } = asked;
  const fitted = list && reorder ? fitResume(list, plan.completed) : undefined;
  const isReordered = fitted !== undefined && fitted.list !== list;
  const run = isReordered && reorder ? reorder(fitted.list) : asked;
  const { metadata } = run.job;
  const annotations = {
    ...metadata.annotations,
    [COMPLETED_INDEXES]: formatIndexes(fitted?.completed ?? plan.completed),
    ...(plan.isMoved || isReordered ? { [LIST_CHANGED]: "true" } : {}),
  };
  const job = { ...run.job, metadata: { ...metadata, annotations } };
  return { run: { ...run, job }, ...(isReordered ? { list: fitted.list } : {}) };
}

function nameOf({ metadata }: Job): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function isSame(one: WorkList | undefined, other: WorkList | undefined): boolean {
  if (!one || !other) return one === other;
  const shape = ({ parameters, derived = [], isBatched }: WorkList) =>
    JSON.stringify([parameters, derived, isBatched === true]);
  if (shape(one) !== shape(other)) return false;
  return one.columns.every((column, at) => {
    const theirs = other.columns[at] ?? [];
    return column.length === theirs.length && column.every((value, n) => value === theirs[n]);
  });
}

/** What the items are worked on with; how many at a time and how often may differ. */
function isSameWork(former: Job, asked: Job): boolean {
  if (former.spec.completions !== asked.spec.completions) return false;
  return isEqual(workOf(former), workOf(asked));
}

function workOf({ metadata, spec }: Job): Json {
  const containers = spec.template.spec?.containers ?? [];
  const appended = metadata.annotations?.[PER_COMPLETION_ARGS] ?? "";
  const words = containers.map(({ image, command, args, env, workingDir }) =>
    JSON.stringify([
      image ?? "",
      command ?? [],
      args ?? [],
      workingDir ?? "",
      (env ?? []).map((each) => [each.name, each.value ?? ""]),
    ]),
  );
  return [appended, ...words];
}

interface Decided {
  readonly completed: IndexSet;
  /** Whether indexes stand for other items than before. */
  readonly isMoved: boolean;
  readonly said: readonly string[];
}

function decide(given: {
  readonly former: Job;
  readonly list: WorkList | undefined;
  readonly asked: ListedRun;
  readonly isSameList: boolean;
}): Decided {
  const { former, list, asked } = given;
  const completions = asked.job.spec.completions ?? 0;
  const done = parseIndexes(former.status.completedIndexes ?? "", former.spec.completions ?? 0);
  const isOther = !isSameWork(former, asked.job) && given.isSameList;
  const said = isOther ? ["the command is another one now: what is left is run with it"] : [];
  if (given.isSameList) {
    return { completed: parseIndexes(formatIndexes(done), completions), isMoved: false, said };
  }
  if (!list || !asked.list) return { completed: emptyIndexes(), isMoved: true, said };
  const plan = planResume({ list, completed: done }, asked.list);
  const removed = removedNames({ list, completed: done }, plan);
  return {
    completed: plan.completed,
    isMoved: !isEqual(formatIndexes(plan.completed), formatIndexes(done)) || removed.length > 0,
    said: [...said, ...changesText(plan.added.length, removed)],
  };
}

const NAMED = 5;

function changesText(added: number, removed: readonly string[]): readonly string[] {
  const more = removed.length > NAMED ? `, and ${removed.length - NAMED} more` : "";
  const names = `${removed.slice(0, NAMED).join(", ")}${more}`;
  return [
    ...(added > 0 ? [`${added} new in the list`] : []),
    ...(removed.length > 0 ? [`${removed.length} no longer in the list: ${names}`] : []),
  ];
}

/** What is running of it finishes first: an item that is worked on is not begun a second time. */
async function drain({ client }: ReachedEngine, former: Job): Promise<void> {
  const name = nameOf(former);
  await pauseRun(client, name);
  const labelSelector = `batch.kubernetes.io/controller-uid=${former.metadata.uid}`;
  for (let quiet = 0; ; ) {
    const { items } = await client.list(pods, { namespace: name.namespace, labelSelector });
    const active = items.filter(({ status }) => !/Succeeded|Failed/.test(status.phase ?? ""));
    const isAhead = runsAhead(former);
    const begun = isAhead ? active.filter(({ status }) => status.startTime) : active;
    const { status } = await client.get(jobs, name);
    const isQuiet = begun.length === 0 && (isAhead || (status.active ?? 0) === 0);
    quiet = isQuiet ? quiet + LOOK_AGAIN_MS : 0;
    // That a task has begun may be told a little later.
    if (isQuiet && (!isAhead || quiet > TOLD_BY_MS)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const LOOK_AGAIN_MS = 50;
const TOLD_BY_MS = 700;
