/**
 * The output of the items of a run, out of the files in its data directory: that of pods which are
 * gone, too. Items come in the order of the list; one that is still running can be followed.
 */
import { existsSync } from "node:fs";
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept } from "../../api/index-set.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { IndexStory } from "../../ledger/reader.ts";
import { type NumberedAttempt, numberedAttempts } from "../../report/item-result.ts";
import type { StoredRuns } from "../../stored-runs.ts";
import type { Items } from "../../worklist/items.ts";
import { CommandFailure } from "../command-failure.ts";
import type { Machine } from "../machine.ts";
import { chooseIndexes } from "../runs/choose-items.ts";
import { attemptFiles } from "../runs/log-files.ts";
import { GrowingFile, lastLines } from "./growing-file.ts";

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

export async function showRunLogs(
  runs: StoredRuns,
  job: Job,
  options: RunLogsOptions,
  machine: Machine,
): Promise<void> {
  if (job.spec.completionMode !== "Indexed") {
    throw new UsageError(`${job.metadata.name} has no indexes: use job/${job.metadata.name}`);
  }
  const show = new RunLogs(runs, job, options, machine);
  const { word, index, item } = options;
  if (word === undefined && index === undefined && item === undefined) return show.all();
  const chosen = chooseIndexes(job, runs.itemsOf(job), options);
  for (const each of firstExcept(chosen, [], chosen.size)) {
    const story = await runs.ledger.find(show.place, each);
    if (story) await show.one(story, chosen.size > 1);
  }
  show.complainOfNothing();
}

class RunLogs {
  readonly place: { readonly namespace: string; readonly jobName: string };
  private readonly items: Items;
  private shown = 0;

  constructor(
    private readonly runs: StoredRuns,
    private readonly job: Job,
    private readonly options: RunLogsOptions,
    private readonly machine: Machine,
  ) {
    this.place = { namespace: runs.namespace, jobName: job.metadata.name ?? "" };
    this.items = runs.itemsOf(job);
  }

  async all(): Promise<void> {
    const { isFailedOnly } = this.options;
    let from: string | undefined;
    do {
      const page = await this.runs.ledger.list(this.place, {
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
    const files = this.filesOf(attempt);
    for (const file of files) await this.write(file);
    if (!files.some((file) => existsSync(file))) this.machine.writeError("its log was removed\n");
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

  private filesOf(attempt: NumberedAttempt): readonly string[] {
    const { container } = this.options;
    const files = attemptFiles({ dataDir: this.runs.dataDir, job: this.job }, attempt, container);
    return files.flatMap(({ out, err }) => [out, err]);
  }

  private title({ index }: IndexStory, hasTitle: boolean): void {
    const name = this.items.nameAt(index);
    const what = name === undefined ? `index ${index}` : `${name} (index ${index})`;
    if (hasTitle) this.machine.writeOut(`${this.shown > 0 ? "\n" : ""}==> ${what} <==\n`);
    this.shown++;
  }

  private async write(file: string): Promise<void> {
    const { tailLines } = this.options;
    if (tailLines !== undefined) {
      await this.machine.writeBytes(lastLines(file, tailLines));
      return;
    }
    await new GrowingFile(file).copyTo(this.machine.writeBytes);
  }

  /** To the end of the item, through all attempts that are still to come. */
  private async follow(first: IndexStory, hasTitle: boolean): Promise<void> {
    let story: IndexStory | undefined = first;
    let current: NumberedAttempt | undefined;
    let files: readonly GrowingFile[] = [];
    for (; story; story = await this.runs.ledger.find(this.place, first.index)) {
      // Asked before its output is read: what comes after its end is not missed.
      const isOver = story.state === "Succeeded" || story.state === "Failed";
      const latest = this.attemptOf(story);
      if (latest && !isSame(latest, current)) {
        for (const file of files) await file.copyTo(this.machine.writeBytes);
        if (current) this.machine.writeError("it is tried again\n");
        else this.title(story, hasTitle);
        current = latest;
        const { tailLines } = this.options;
        files = this.filesOf(latest).map((file) => new GrowingFile(file, tailLines));
      }
      for (const file of files) await file.copyTo(this.machine.writeBytes);
      if (isOver) return;
      if (!(await this.runs.isLive())) {
        throw new CommandFailure(`error: ${this.place.jobName} is not running any more`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function isSame(one: NumberedAttempt, other: NumberedAttempt | undefined): boolean {
  return one.attempt.podUID === other?.attempt.podUID && one.restarts === other.restarts;
}
