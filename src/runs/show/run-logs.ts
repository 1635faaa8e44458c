/**
 * The output of the items of a run: out of the files in its data directory that of pods which are
 * gone, too. Items come in the order of the list; one that is still running can be followed.
 */
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept } from "../../api/index-set.ts";
import type { Items } from "../../api/work-list/items.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { IndexStory } from "../../ledger/reader.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import { chooseIndexes } from "../list/choose-items.ts";
import type { AttemptLog, AttemptLogs } from "./attempt-logs.ts";
import { type NumberedAttempt, numberedAttempts } from "./item-result.ts";

export interface RunLogsOptions {
  /** An index or an item. */
  readonly word?: string;
  readonly index?: string;
  readonly item?: string;
  readonly isFailedOnly: boolean;
  readonly isFollowing: boolean;
  /** Counts from 1; absent: the last one. */
  readonly attempt?: number;
  /** Of each file; absent: all of it. */
  readonly tailLines?: number;
  readonly container?: string;
}

/** How often a log that grows is looked at. */
const LOOK_MS = 100;

export interface LoggedRun {
  readonly runs: RunsToRead;
  readonly job: Job;
  readonly logs: AttemptLogs;
}

export async function showRunLogs(
  { runs, job, logs }: LoggedRun,
  options: RunLogsOptions,
  machine: Machine,
): Promise<void> {
  if (job.spec.completionMode !== "Indexed") {
    throw new UsageError(`${job.metadata.name} has no indexes: use job/${job.metadata.name}`);
  }
  const items = await runs.itemsOf(job);
  const show = new RunLogs({ runs, job, logs, items }, options, machine);
  const { word, index, item } = options;
  if (word === undefined && index === undefined && item === undefined) return show.all();
  const chosen = chooseIndexes(job, items, options);
  for (const each of firstExcept(chosen, [], chosen.size)) {
    const story = await runs.ledger.find(show.place, each);
    if (story) await show.one(story, chosen.size > 1);
  }
  show.complainOfNothing();
}

class RunLogs {
  readonly place: { readonly namespace: string; readonly jobName: string };
  private shown = 0;

  constructor(
    private readonly of: LoggedRun & { readonly items: Items },
    private readonly options: RunLogsOptions,
    private readonly machine: Machine,
  ) {
    const { runs, job } = of;
    this.place = { namespace: runs.namespace, jobName: job.metadata.name ?? "" };
  }

  async all(): Promise<void> {
    const { isFailedOnly } = this.options;
    let from: string | undefined;
    do {
      const page = await this.of.runs.ledger.list(this.place, {
        ...(isFailedOnly ? { state: "Failed" } : {}),
        ...(from === undefined ? {} : { from }),
      });
      for (const story of page.items) await this.one(story, true);
      from = page.next;
    } while (from !== undefined);
    this.complainOfNothing();
  }

  async one(story: IndexStory, hasTitle: boolean): Promise<void> {
    const { isFailedOnly, isFollowing } = this.options;
    if (isFailedOnly && story.state !== "Failed") return;
    if (isFollowing) return this.follow(story, hasTitle);
    const attempt = this.attemptOf(story);
    if (!attempt) return;
    this.title(story, hasTitle);
    const { tailLines } = this.options;
    let isThere = false;
    for (const log of this.logsOf(attempt)) {
      if (await log.copy(this.machine.writeBytes, tailLines)) isThere = true;
    }
    if (!isThere) this.machine.writeError("its log was removed\n");
  }

  complainOfNothing(): void {
    if (this.shown > 0) return;
    const { attempt, isFailedOnly } = this.options;
    const what = attempt === undefined ? "nothing was run" : `there is no attempt ${attempt}`;
    throw new CommandFailure(`error: ${isFailedOnly ? "nothing failed" : what}`);
  }

  private attemptOf({ attempts }: IndexStory): NumberedAttempt | undefined {
    const { attempt } = this.options;
    const began = numberedAttempts(attempts);
    return attempt === undefined ? began.at(-1) : began[attempt - 1];
  }

  private logsOf(attempt: NumberedAttempt): readonly AttemptLog[] {
    return this.of.logs(attempt, this.options.container);
  }

  private title({ index }: IndexStory, hasTitle: boolean): void {
    const name = this.of.items.nameAt(index);
    const what = name === undefined ? `index ${index}` : `${name} (index ${index})`;
    if (hasTitle) this.machine.writeOut(`${this.shown > 0 ? "\n" : ""}==> ${what} <==\n`);
    this.shown++;
  }

  /** To the end of the item, through all attempts that are still to come. */
  private async follow(first: IndexStory, hasTitle: boolean): Promise<void> {
    let story: IndexStory | undefined = first;
    let current: NumberedAttempt | undefined;
    let files: readonly ReturnType<AttemptLog["grow"]>[] = [];
    for (; story; story = await this.of.runs.ledger.find(this.place, first.index)) {
      // Asked before its output is read: what comes after its end is not missed.
      const isOver = story.state === "Succeeded" || story.state === "Failed";
      const latest = this.attemptOf(story);
      if (latest && !isSame(latest, current)) {
        for (const file of files) await file.copyTo(this.machine.writeBytes);
        if (current) this.machine.writeError("it is tried again\n");
        else this.title(story, hasTitle);
        current = latest;
        const { tailLines } = this.options;
        files = this.logsOf(latest).map((log) => log.grow(tailLines));
      }
      for (const file of files) await file.copyTo(this.machine.writeBytes);
      if (isOver) return;
      if (!(await this.of.runs.isLive())) {
        throw new CommandFailure(`error: ${this.place.jobName} is not running any more`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function isSame(one: NumberedAttempt, other: NumberedAttempt | undefined): boolean {
  return one.attempt.podUID === other?.attempt.podUID && one.restarts === other.restarts;
}
