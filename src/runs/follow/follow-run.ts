/**
 * Follows a run in the foreground, from its creation to its summary:
 *
 *     create or continue the Job -> follow it -> report -> summarize
 *
 * If the engine is lost on the way, the next one is reached and the run continues. Reading order of
 * the folder: foreground (signals, reports and the exit code); this file; follow-job with attempt
 * and run-book (what happens to the items); control (what a user can change).
 */
import type { Client, Name } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { runsAhead } from "../../api/pods-ahead.ts";
import { ConnectionLost } from "../../client/connection-lost.ts";
import type { EngineHost } from "../host/run-host.ts";
import type { Reporter } from "../show/reporter.ts";
import { MAX_FAILURES_SHOWN, type RunEnd, type Summary, summarize } from "../show/summary.ts";
import { isJobDrained } from "../submit/drained.ts";
import type { AttemptEnd } from "./attempt.ts";
import { canDrain, pauseRun, resumeRun, scaleRun, terminateRun } from "./control.ts";
import { doneBefore } from "./done-before.ts";
import { type Following, followJob, lookAtJob } from "./follow-job.ts";
import { RunBook } from "./run-book.ts";

export interface CreatedRun {
  readonly job: Job;
  /** The Job as it was found, if an earlier one continues. */
  readonly former?: Job;
  /** The name of the item of an index, if there is a list. */
  readonly itemAt: (index: number) => string | undefined;
  /** The client that shows the run as one Job, if that of the host does not. */
  readonly view?: (client: Client) => Client;
}

/**
 * Creates the Job, or continues an existing one; undefined if there is nothing to follow. Called
 * again if the engine is lost meanwhile.
 */
export type CreateRun = (host: EngineHost) => Promise<CreatedRun | undefined>;

/** What a user can ask of a run while it is followed. */
export interface RunControls {
  /** Starts no new items until the next call. */
  togglePause(): void;
  changeParallelism(by: number): void;
  /** First call: let running items finish. Second: end them. Third: leave them behind. */
  interrupt(): void;
  /** Ends running items. */
  terminate(end?: RunEnd): void;
}

export interface FollowOptions {
  readonly create: CreateRun;
  readonly openReporter: (run: CreatedRun, book: RunBook, controls: RunControls) => Reporter;
  /** Called when there is something to interrupt; returns the function that stops listening. */
  readonly listen: (controls: RunControls) => () => void;
  readonly nowMs: () => number;
  /** When this command began: items that ended earlier were done before. */
  readonly beganMs: number;
  /** Leaves at once, whatever is going on. */
  readonly abandon: () => void;
}

const TICK_MS = 250;

/** The host is still open afterwards. Undefined if there was nothing to follow. */
export async function followRun(
  host: EngineHost,
  options: FollowOptions,
): Promise<Summary | undefined> {
  const startMs = options.nowMs();
  let run: CreatedRun | undefined;
  for (;;) {
    let follower: RunFollower;
    try {
      run ??= await options.create(host);
      if (!run) return undefined;
      await host.started;
      const done = await doneBefore(host, run, options.beganMs);
      follower = new RunFollower(options, host, { ...run, done }, startMs);
    } catch (error) {
      // The process that hosted the engine has ended: continue with the next engine.
      if (!(host.kind === "other process" && error instanceof ConnectionLost)) throw error;
      await host.reconnect();
      continue;
    }
    return follower.follow();
  }
}

/** Whether the user wants the run to stop: let running items finish, or end them. */
type Stop = "no" | "drain" | "terminate";

class RunFollower implements RunControls {
  private readonly book: RunBook;
  private readonly reporter: Reporter;
  private readonly name: Name;
  private readonly stopping = new AbortController();
  private readonly failures: AttemptEnd[] = [];
  private readonly noticed = new Set<string>();
  private stop: Stop = "no";
  private endIfStopped: RunEnd = "interrupted";

  constructor(
    private readonly options: FollowOptions,
    private readonly host: EngineHost,
    private readonly run: CreatedRun & { readonly done: readonly number[] },
    private readonly startMs: number,
  ) {
    const { namespace = "", name = "" } = run.job.metadata;
    this.name = { namespace, name };
    this.book = new RunBook({
      started: (attempt) => this.reporter.started(attempt),
      failedOnce: (end) => this.reporter.failedOnce(end),
      ended: (end) => this.onItem(end),
    });
    this.book.begin(run.job, { asOf: run.former ?? run.job, done: run.done });
    this.reporter = options.openReporter(run, this.book, this);
  }

  async follow(): Promise<Summary> {
    const unlisten = this.options.listen(this);
    const ticking = setInterval(() => {
      this.reporter.progress(this.book);
      this.checkStopped();
    }, TICK_MS);
    try {
      this.reporter.begun(this.book);
      const end = await this.followToEnd();
      const summary = this.summarize(end);
      await this.reporter.finish(summary);
      return summary;
    } finally {
      clearInterval(ticking);
      unlisten();
      this.reporter.close();
    }
  }

  togglePause(): void {
    const { job } = this.book;
    const isHeld = job?.spec.parallelism === 0 || job?.spec.suspend === true;
    this.change((client) => (isHeld ? resumeRun : pauseRun)(client, this.name));
  }

  changeParallelism(by: number): void {
    const now = this.book.job?.spec.parallelism ?? 1;
    const wanted = Math.max(1, now + by);
    if (wanted !== now) this.change((client) => scaleRun(client, this.name, wanted));
  }

  interrupt(): void {
    if (this.stop === "no") this.requestStop(canDrain(this.book.job) ? "drain" : "terminate");
    else if (this.stop === "drain") this.requestStop("terminate");
    else this.options.abandon();
  }

  terminate(end: RunEnd = "interrupted"): void {
    this.endIfStopped = end;
    if (this.stop === "terminate") this.options.abandon();
    else this.requestStop("terminate");
  }

  private requestStop(stop: Stop): void {
    this.stop = stop;
    const running = this.book.active;
    if (stop === "drain") {
      this.reporter.notice(
        `stopping: no more are started, ${running} still running (Ctrl-C again ends them)`,
        "stopping",
      );
    } else {
      const why = canDrain(this.book.job) ? "" : ": this cluster cannot let them finish";
      this.reporter.notice(`ending ${running} that are still running${why}`, "ending");
    }
    this.change((client) => this.stopJob(client));
  }

  private async stopJob(client: Client): Promise<void> {
    if (this.stop === "no") return;
    await pauseRun(client, this.name);
    if (this.stop === "terminate") await terminateRun(client, this.name);
    this.checkStopped();
  }

  /** If the engine is lost meanwhile, the stop is requested again from the next engine. */
  private change(change: (client: Client) => Promise<unknown>): void {
    change(this.client).catch((error: unknown) => {
      if (error instanceof ApiError) this.reporter.notice(error.message);
    });
  }

  /** The client of the present connection. */
  private get client(): Client {
    return this.run.view?.(this.host.client) ?? this.host.client;
  }

  /** After a lost connection the same notices are listed again. */
  private onNotice(message: string): void {
    if (this.noticed.has(message)) return;
    this.noticed.add(message);
    this.reporter.notice(message);
  }

  private onItem(end: AttemptEnd): void {
    if (end.outcome === "Failed" && this.failures.length < MAX_FAILURES_SHOWN) {
      this.failures.push(end);
    }
    this.reporter.ended(end);
  }

  private async followToEnd(): Promise<RunEnd> {
    for (;;) {
      const end = await followJob(this.following());
      if (end === "finished" || end === "gone") return end;
      if (end === "stopped") {
        // Jobs and pods have separate watches: the end of a pod may not have arrived yet.
        await lookAtJob(this.following());
        return this.endIfStopped;
      }
      await this.host.reconnect();
      await this.host.started;
      await this.stopJob(this.client);
    }
  }

  private following(): Following {
    const { client } = this;
    const { ledger } = this.host;
    const { uid = "" } = this.run.job.metadata;
    const { namespace = "", name } = this.name;
    return {
      client,
      ledger,
      book: this.book,
      job: { namespace, name, uid },
      itemAt: this.run.itemAt,
      onNotice: (message) => this.onNotice(message),
      onNews: () => {
        this.reporter.progress(this.book);
        this.checkStopped();
      },
      signal: this.stopping.signal,
    };
  }

  /** Stops following once no process is left, as the Job itself states. */
  private checkStopped(): void {
    const { job, active, succeeded, failed, total = Number.POSITIVE_INFINITY } = this.book;
    if (this.stop === "no" || !job || !isJobDrained(job)) return;
    // Pods that were created ahead may exist, and never start.
    if (active > 0 && !runsAhead(job)) return;
    // If every item has ended, the Job finishes by itself.
    if (succeeded + failed < total) this.stopping.abort();
  }

  private summarize(end: RunEnd): Summary {
    const tookMs = this.options.nowMs() - this.startMs;
    const { name } = this.name;
    return summarize(end, this.book, { name, tookMs, failures: this.failures });
  }
}
