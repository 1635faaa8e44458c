/**
 * Continues a run under its name. An unfinished run with the same list and the same command is
 * simply resumed. Otherwise a new Job replaces its Job: it skips the items that are done, and runs
 * the others with the new command.
 *
 *     pause and drain -> plan -> replace if nothing changed meanwhile, else plan again
 */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Job } from "../../api/generated/batch.ts";
import { emptyIndexes, formatIndexes, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-conditions.ts";
import type { Json } from "../../api/object.ts";
import { jobs } from "../../api/resources.ts";
import { DONE_BEFORE, PER_COMPLETION_ARGS } from "../../api/work-list/names.ts";
import { listNameOf, type StoredList } from "../../api/work-list/opened-list.ts";
import type { ListPast } from "../../api/work-list/stored-list.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { dieAt } from "../../base/die-at.ts";
import { CONTINUES, LIST_CHANGED } from "../../ledger/story.ts";
import { planResume, type ResumePlan } from "../compose/plan-resume.ts";
import { resumeRun } from "../follow/control.ts";
import type { EngineHost } from "../host/run-host.ts";
import { readStoredList } from "../list/stored-items.ts";
import { isConflict, type NewRun } from "./create-run.ts";
import { drainRun } from "./drain.ts";
import { formerUids } from "./earlier-jobs.ts";
import { planEnvironment } from "./run-environment.ts";
import { createSupport, submitRun } from "./submit-job.ts";

export interface ContinuedRun {
  readonly job: Job;
  /** The Job as it was found. */
  readonly former: Job;
  /** Notices for the user. */
  readonly notices: readonly string[];
}

export type ListedRun = NewRun & { readonly list?: WorkList };

export async function continueRun(
  host: EngineHost,
  asked: ListedRun,
  found: Job,
): Promise<ContinuedRun> {
  await createSupport(host.client, asked.before ?? []);
  for (let former = found; ; ) {
    try {
      return { ...(await continueOnce(host, asked, former)), former: found };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const { namespace = "", name = "" } = found.metadata;
    former = await host.client.get(jobs, { namespace, name });
  }
}

async function continueOnce(
  host: EngineHost,
  asked: ListedRun,
  former: Job,
): Promise<Omit<ContinuedRun, "former">> {
  const { client } = host;
  const { namespace = "", name = "" } = former.metadata;
  dieAt("resume");
  const stored = await readStoredList(client, former);
  dieAt("resume");
  // A command was killed after it created the Job and before its list: nothing has run.
  const isBare = listNameOf(former) !== undefined && stored === undefined;
  const isSameList = !isBare && isSame(stored?.list, asked.list);
  const environment = await planEnvironment(client, former, asked);
  if (isSameList && isSameWork(former, asked.job)) {
    const isComplete = former.status.succeeded === former.spec.completions;
    if (isFinished(former) && isComplete) return { job: former, notices: ["everything is done"] };
    if (!isFinished(former)) {
      const { parallelism } = asked.job.spec;
      await environment.apply();
      const job = await resumeRun(client, { namespace, name }, parallelism);
      return { job, notices: environment.notices };
    }
  }
  const settled = isFinished(former) || isBare ? former : await drainRun(client, former);
  dieAt("resume");
  const uids = await formerUids(host, settled);
  dieAt("resume");
  const decided = decide({ former: settled, stored, asked, isSameList, uids });
  const notices = [...decided.notices, ...environment.notices];
  const job = await replace(client, asked, settled, decided);
  dieAt("resume");
  return { job, notices };
}

function replace(client: Client, asked: ListedRun, former: Job, decided: Decided): Promise<Job> {
  const { uid = "", resourceVersion = "" } = former.metadata;
  const { metadata } = asked.job;
  const annotations = {
    ...metadata.annotations,
    [DONE_BEFORE]: String(decided.completed.size),
    ...(decided.continues ? { [CONTINUES]: decided.continues.join(",") } : {}),
    ...(decided.isMoved ? { [LIST_CHANGED]: "true" } : {}),
  };
  return submitRun(client, {
    job: { ...asked.job, metadata: { ...metadata, annotations } },
    support: asked.support(decided.past),
    settled: { completed: formatIndexes(decided.completed), failed: "" },
    former: { uid, resourceVersion },
  });
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

/** Whether the command is the same; parallelism and retries may differ. */
function isSameWork(former: Job, asked: Job): boolean {
  if (former.spec.completions !== asked.spec.completions) return false;
  return isEqual(workOf(former), workOf(asked));
}

function workOf(job: Job): Json {
  const containers = job.spec.template.spec?.containers ?? [];
  return [commandsOf(job), ...containers.map(({ workingDir }) => workingDir ?? "")];
}

/** Without the working directory, which is reported with the rest of the environment. */
function commandsOf({ metadata, spec }: Job): Json {
  const containers = spec.template.spec?.containers ?? [];
  const appended = metadata.annotations?.[PER_COMPLETION_ARGS] ?? "";
  const words = containers.map(({ image, command, args, env }) =>
    JSON.stringify([
      image ?? "",
      command ?? [],
      args ?? [],
      (env ?? []).map((each) => [each.name, each.value ?? ""]),
    ]),
  );
  return [appended, ...words];
}

interface Decided {
  readonly completed: IndexSet;
  /** Former Jobs with the same items at the same indexes; undefined if the run starts over. */
  readonly continues?: readonly string[];
  /** Whether some items had other indexes before, which the list has. */
  readonly isMoved?: boolean;
  readonly past?: ListPast;
  readonly notices: readonly string[];
}

function decide(given: {
  readonly former: Job;
  readonly stored: StoredList | undefined;
  readonly asked: ListedRun;
  readonly isSameList: boolean;
  /** The Jobs with the same items at the same indexes, oldest first, the former Job last. */
  readonly uids: readonly string[];
}): Decided {
  const { former, stored, asked, uids } = given;
  const completions = asked.job.spec.completions ?? 0;
  const done = parseIndexes(former.status.completedIndexes ?? "", former.spec.completions ?? 0);
  if (given.isSameList) {
    const isOther = !isEqual(commandsOf(former), commandsOf(asked.job));
    return {
      completed: parseIndexes(formatIndexes(done), completions),
      continues: uids,
      ...(stored ? { past: stored.past } : {}),
      notices: isOther ? ["the command has changed: the remaining items run with the new one"] : [],
    };
  }
  if (!stored || !asked.list) return { completed: emptyIndexes(), notices: [] };
  const { name = "" } = former.metadata;
  const plan = planResume(
    { ...stored, completed: done, jobs: uids.map((uid) => ({ name, uid })) },
    asked.list,
  );
  const { completed, past } = plan;
  const notices = changesText(plan);
  // If items were only added at the end, the indexes are the same.
  if (!plan.isMoved) return { completed, continues: uids, past: stored.past, notices };
  return { completed, continues: [], isMoved: true, past, notices };
}

const NAMED = 5;

function changesText({ added, removed }: ResumePlan): readonly string[] {
  const more = removed.length > NAMED ? `, and ${removed.length - NAMED} more` : "";
  const names = `${removed.slice(0, NAMED).join(", ")}${more}`;
  return [
    ...(added.length > 0 ? [`${added.length} new in the list`] : []),
    ...(removed.length > 0 ? [`${removed.length} no longer in the list: ${names}`] : []),
  ];
}
