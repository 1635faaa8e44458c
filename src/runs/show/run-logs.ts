/**
 * Prints what the items of a run printed, in the order of the list. An item that is still running
 * can be followed. In a data directory logs outlive their pods.
 */
import { firstExcept } from "../../api/index-set.ts";
import type { Items } from "../../api/work-list/items.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { IndexStory } from "../../ledger/reader.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import type { FoundRun } from "../host/run-host.ts";
import { chooseIndexes } from "../list/choose-items.ts";
import { type AttemptLog, loggedAttempt } from "./attempt-logs.ts";
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

/** How often a growing log is read. */
const LOOK_MS = 100;

export async function showRunLogs(
  { host, job }: FoundRun,
  options: RunLogsOptions,
  machine: Machine,
): Promise<void> {
  if (job.spec.completionMode !== "Indexed") {
    throw new UsageError(`${job.metadata.name} has no indexes: use job/${job.metadata.name}`);
  }
  const items = await host.items(job);
  const show = new RunLogs({ host, job, items }, options, machine);
  const { word, index, item } = options;
  if (word === undefined && index === undefined && item === undefined) return show.all();
  const chosen = chooseIndexes(job, items, options);
  for (const each of firstExcept(chosen, [], chosen.size)) {
    const story = await host.ledger.find(show.place, each);
    if (story) await show.one(story, chosen.size > 1);
  }
  show.failIfNothing();
}

class RunLogs {
  readonly place: { readonly namespace: string; readonly jobName: string };
  private shown = 0;

  constructor(
    private readonly of: FoundRun & { readonly items: Items },
    private readonly options: RunLogsOptions,
    private readonly machine: Machine,
  ) {
    const { host, job } = of;
    this.place = { namespace: host.namespace, jobName: job.metadata.name ?? "" };
  }

  async all(): Promise<void> {
    const { isFailedOnly } = this.options;
    const query = isFailedOnly ? ({ state: "Failed" } as const) : {};
    for await (const stories of storyPages(this.of.host.ledger, this.place, query)) {
      for (const story of stories) await this.one(story, true);
    }
    this.failIfNothing();
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

  failIfNothing(): void {
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
    const { host, job } = this.of;
    return host.logs.open(loggedAttempt(job, attempt, this.options.container));
  }

  private title({ index }: IndexStory, hasTitle: boolean): void {
    const name = this.of.items.nameAt(index);
    const what = name === undefined ? `index ${index}` : `${name} (index ${index})`;
    if (hasTitle) this.machine.writeOut(`${this.shown > 0 ? "\n" : ""}==> ${what} <==\n`);
    this.shown++;
  }

  /** To the end of the item, through all further attempts. */
  private async follow(first: IndexStory, hasTitle: boolean): Promise<void> {
    let story: IndexStory | undefined = first;
    let current: NumberedAttempt | undefined;
    let files: readonly ReturnType<AttemptLog["grow"]>[] = [];
    for (; story; story = await this.of.host.ledger.find(this.place, first.index)) {
      // The state is read before the output, so that no output is missed at the end.
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
      if (!(await this.of.host.isLive())) {
        throw new CommandFailure(`error: ${this.place.jobName} is not running any more`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function isSame(one: NumberedAttempt, other: NumberedAttempt | undefined): boolean {
  return one.attempt.podUID === other?.attempt.podUID && one.restarts === other.restarts;
}
