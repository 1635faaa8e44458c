/**
 * Follows one Job through a Client and records what happens in its book. One call lasts as long as
 * the connection. After a lost connection the next call lists again, and reads missed attempts from
 * the ledger.
 *
 * Events are recorded after they are on disk: a crash must not undo an end that was reported.
 */

import type { Client, Closable, ObjectEvent, WatchRequest } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Event, Pod } from "../../api/generated/core.ts";
import { wasCutShort } from "../../api/job-conditions.ts";
import { podsOfJob } from "../../api/job-labels.ts";
import { events, jobs, pods } from "../../api/resources.ts";
import { environmentNameOf, LIMITS_NOT_RESTORED } from "../../api/run-environment.ts";
import { findObject } from "../../client/find.ts";
import type { IndexStory, LedgerReader } from "../../ledger/reader.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import { endInLedger } from "./attempt.ts";
import type { RunBook } from "./run-book.ts";

export interface FollowedJob {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Following {
  readonly client: Client;
  readonly ledger: LedgerReader;
  readonly book: RunBook;
  readonly job: FollowedJob;
  /** The name of the item of an index whose pod was not seen. */
  readonly itemAt: (index: number) => string | undefined;
  /** Called with warnings of the engine about the Job. */
  readonly onNotice: (message: string) => void;
  /** Called after each batch of events. */
  readonly onNews: () => void;
  /** Ends the call with "stopped". */
  readonly signal: AbortSignal;
}

export type FollowEnd = "finished" | "gone" | "lost" | "stopped";

export async function followJob(following: Following): Promise<FollowEnd> {
  const { client, signal } = following;
  try {
    const seen = await lookAtJob(following);
    if (!seen) return "gone";
    following.onNews();
    const notices = await readNotices(following, seen.job);
    return await new Attachment(following).until((handlers) => [
      client.watch(pods, seen.pods, handlers.pods),
      client.watch(jobs, seen.jobs, handlers.jobs),
      ...(notices ? [client.watch(events, notices, handlers.events)] : []),
    ]);
  } catch (error) {
    if (signal.aborted) return "stopped";
    if (isRefused(error)) throw error;
    if (await isGone(following)) return "gone";
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return "lost";
  }
}

interface SeenJob {
  readonly job: Job;
  /** The watches that continue from here. */
  readonly pods: WatchRequest;
  readonly jobs: WatchRequest;
}

/** Records the present state; undefined if the Job is gone. */
export async function lookAtJob(following: Following): Promise<SeenJob | undefined> {
  const { client, book, job } = following;
  const selector = podsOfJob(job.uid);
  const place = { namespace: job.namespace, labelSelector: selector };
  // Pods are listed first: the Job has counted every missing pod by the time it is read.
  const listed = await client.list(pods, place);
  const only = { namespace: job.namespace, fieldSelector: `metadata.name=${job.name}` };
  const found = await client.list(jobs, only);
  const [current] = found.items;
  if (current?.metadata.uid !== job.uid) return undefined;
  book.keepOnlyPods(new Set(listed.items.map(({ metadata }) => metadata.uid ?? "")));
  for (const pod of listed.items) book.takePod("ADDED", pod);
  book.markPodsSeen(listed.resourceVersion);
  book.takeJob(current);
  await readUnreported(following, current);
  if (book.isFinished) await readUnlisted(following, current);
  return {
    job: current,
    pods: { ...place, resourceVersion: listed.resourceVersion },
    jobs: { ...only, resourceVersion: found.resourceVersion },
  };
}

/** A retry would not help. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 401 || error.code === 403);
}

async function isGone({ client, job }: Following): Promise<boolean> {
  try {
    const found = await findObject(client, jobs, { namespace: job.namespace, name: job.name });
    return found?.metadata.uid !== job.uid;
  } catch {
    return false;
  }
}

type News = { readonly pod: ObjectEvent<Pod> } | { readonly job: ObjectEvent<Job> };

/** Reports the event that the process limits of the run could not be restored. */
async function readNotices(
  { client, job, onNotice }: Following,
  current: Job,
): Promise<WatchRequest | undefined> {
  if (environmentNameOf(current) === undefined) return undefined;
  const fieldSelector = `involvedObject.uid=${job.uid},reason=${LIMITS_NOT_RESTORED}`;
  const place = { namespace: job.namespace, fieldSelector };
  const { items, resourceVersion } = await client.list(events, place);
  for (const { message = "" } of items) onNotice(message);
  return { ...place, resourceVersion };
}

interface Handlers {
  readonly pods: { onEvent(event: ObjectEvent<Pod>): void; onEnd(error?: Error): void };
  readonly jobs: { onEvent(event: ObjectEvent<Job>): void; onEnd(error?: Error): void };
  readonly events: { onEvent(event: ObjectEvent<Event>): void; onEnd(error?: Error): void };
}

class Attachment {
  private news: News[] = [];
  private isReading = false;
  private watches: readonly Closable[] = [];
  private resolve: (end: FollowEnd) => void = () => {};
  private reject: (error: unknown) => void = () => {};

  constructor(private readonly following: Following) {}

  async until(open: (handlers: Handlers) => readonly Closable[]): Promise<FollowEnd> {
    const { signal, book } = this.following;
    const onAbort = () => this.resolve("stopped");
    try {
      return await new Promise<FollowEnd>((resolve, reject) => {
        this.resolve = resolve;
        this.reject = reject;
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) resolve("stopped");
        else if (book.isFinished) resolve("finished");
        else this.watches = open(this.handlers());
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
      for (const watch of this.watches) watch.close();
    }
  }

  private handlers(): Handlers {
    const { onNotice } = this.following;
    const onEnd = () => this.resolve("lost");
    return {
      pods: { onEvent: (pod) => this.take({ pod }), onEnd },
      jobs: { onEvent: (job) => this.take({ job }), onEnd },
      events: { onEvent: ({ object }) => onNotice(object.message ?? ""), onEnd },
    };
  }

  /** In process this is called during the write. The events are handled after it. */
  private take(news: News): void {
    this.news.push(news);
    if (this.isReading) return;
    this.isReading = true;
    setImmediate(() => this.read().catch(this.reject));
  }

  private async read(): Promise<void> {
    const { client, onNews } = this.following;
    while (this.news.length > 0) {
      const batch = this.news;
      this.news = [];
      await client.durable(newest(batch));
      for (const each of batch) this.enter(each);
      onNews();
    }
    this.isReading = false;
    await this.checkEnd();
  }

  private enter(news: News): void {
    const { book, job } = this.following;
    if ("pod" in news) book.takePod(news.pod.type, news.pod.object);
    else if (news.job.type === "DELETED") this.resolve("gone");
    else if (news.job.object.metadata.uid === job.uid) book.takeJob(news.job.object);
  }

  private async checkEnd(): Promise<void> {
    const { book } = this.following;
    if (!book.isFinished || !book.job) return;
    await readUnreported(this.following, book.job);
    await readUnlisted(this.following, book.job);
    await readNotices(this.following, book.job);
    this.following.onNews();
    this.resolve("finished");
  }
}

function newest(batch: readonly News[]): string {
  let newest = 0;
  for (const each of batch) {
    const { object } = "pod" in each ? each.pod : each.job;
    newest = Math.max(newest, Number(object.metadata.resourceVersion));
  }
  return String(newest);
}

async function readUnreported(following: Following, job: Job): Promise<void> {
  const { book, ledger } = following;
  const { namespace, name: jobName } = following.job;
  const { resourceVersion: since = "0" } = job.metadata;
  for (const index of book.unreported()) {
    const story = await ledger.find({ namespace, jobName }, index, { since });
    book.settle(index, story && endOfStory(following, job, story));
  }
}

/**
 * A Job that was ended early does not list the items that were running or waiting for a retry. They
 * have failed, and their pods may be gone before this command saw them: the ledger has them.
 */
async function readUnlisted(following: Following, job: Job): Promise<void> {
  const { book, ledger } = following;
  if (!wasCutShort(job) || job.spec.completionMode !== "Indexed") return;
  const { namespace, name: jobName } = following.job;
  for await (const stories of storyPages(ledger, { namespace, jobName }, { state: "Failed" })) {
    for (const story of stories) {
      const end = book.isSettled(story.index) ? undefined : endOfStory(following, job, story);
      if (end) book.takeEnd(end);
    }
  }
}

function endOfStory({ itemAt }: Following, job: Job, { index, attempts }: IndexStory) {
  const { namespace = "" } = job.metadata;
  const containers = (job.spec.template.spec?.containers ?? []).map(({ name }) => name);
  return endInLedger(namespace, index, attempts, { item: itemAt(index), containers });
}
