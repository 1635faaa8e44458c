/**
 * The life of one `tally run`, from reaching an engine to the exit code.
 *
 *     reach an engine -> create or continue the Job -> follow it -> report -> sum up
 *
 * Reading order of the folder: this file; reach-engine (whose engine it is) and open-runs; prepare
 * (the Job); follow with attempt and run-book (what happens); control (what the user wants of it);
 * output/ and screen/ (who is told); words, progress and summary, which are pure. The folder knows
 * no flags, and of the engine only how to start one.
 */
import type { Name } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { runsAhead } from "../../api/pods-ahead.ts";
import { ConnectionLost } from "../../client/connection-lost.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import type { Reporter } from "../show/reporter.ts";
import { MAX_FAILURES_SHOWN, type RunEnd, type Summary, summarize } from "../show/summary.ts";
import { isJobDrained } from "../submit/drained.ts";
import type { AttemptEnd } from "./attempt.ts";
import { canDrain, pauseRun, resumeRun, scaleRun, terminateRun } from "./control.ts";
import { doneBefore } from "./done-before.ts";
import { type Following, followJob, lookAtJob } from "./follow.ts";
import { RunBook } from "./run-book.ts";

export interface PreparedRun {
  readonly job: Job;
  /** As it was found, if it is an earlier one that goes on. */
  readonly former?: Job;
  /** What an index works on, where there is a list. */
  readonly itemAt: (index: number) => string | undefined;
  /** The engine as this run sees it, where that is not as it is. */
  readonly view?: (engine: ReachedEngine) => ReachedEngine;
}

/** What somebody may want of a run while it goes on. */
export interface RunWishes {
  /** Nothing new is started until the next call. */
  togglePause(): void;
  changeParallelism(by: number): void;
  /** Stop: first what is running may finish, then it is ended, then it is left behind. */
  interrupt(): void;
  /** Ends what is running. */
  terminate(end?: RunEnd): void;
}

export interface ConductOptions {
  /** Called again whenever the engine that was reached is lost. */
  readonly reach: () => Promise<ReachedEngine>;
  /** Creates the Job, or resumes an existing one. Called again if the engine is lost meanwhile. */
  readonly prepare: (engine: ReachedEngine) => Promise<PreparedRun>;
  readonly reporterOf: (run: PreparedRun, book: RunBook, wishes: RunWishes) => Reporter;
  /** Called when there is something to interrupt; answers with the way to stop listening. */
  readonly listen: (wishes: RunWishes) => () => void;
  readonly nowMs: () => number;
  /** When this command began: what ended before then was done before. */
  readonly beganMs: number;
  /** Leaves at once, whatever is going on. */
  readonly abandon: () => void;
}

const TICK_MS = 250;

export async function conductRun(options: ConductOptions): Promise<Summary> {
  const startMs = options.nowMs();
  let run: PreparedRun | undefined;
  for (;;) {
    const engine = await options.reach();
    let conductor: Conductor | undefined;
    try {
      run ??= await options.prepare(engine);
      await engine.begun;
      const done = await doneBefore(engine, run, options.beganMs);
      conductor = new Conductor(options, engine, { ...run, done }, startMs);
    } catch (error) {
      await engine.close();
      // The process that hosted the engine has ended: continue with the next engine.
      if (engine.isPassing && error instanceof ConnectionLost) continue;
      throw error;
    }
    return conductor.conduct();
  }
}

type Wish = "run" | "drain" | "terminate";

class Conductor implements RunWishes {
  private readonly book: RunBook;
  private readonly reporter: Reporter;
  private readonly name: Name;
  private readonly stopping = new AbortController();
  private readonly failures: AttemptEnd[] = [];
  private readonly noticed = new Set<string>();
  private wish: Wish = "run";
  private endIfStopped: RunEnd = "interrupted";

  private engine: ReachedEngine;

  constructor(
    private readonly options: ConductOptions,
    engine: ReachedEngine,
    private readonly run: PreparedRun & { readonly done: readonly number[] },
    private readonly startMs: number,
  ) {
    this.engine = this.seen(engine);
    const { namespace = "", name = "" } = run.job.metadata;
    this.name = { namespace, name };
    this.book = new RunBook({
      started: (attempt) => this.reporter.started(attempt),
      failedOnce: (end) => this.reporter.failedOnce(end),
      ended: (end) => this.onItem(end),
    });
    this.book.begin(run.job, { asOf: run.former ?? run.job, done: run.done });
    this.reporter = options.reporterOf(run, this.book, this);
  }

  async conduct(): Promise<Summary> {
    const unlisten = this.options.listen(this);
    const ticking = setInterval(() => {
      this.reporter.progress(this.book);
      this.checkStopped();
    }, TICK_MS);
    try {
      this.reporter.begun(this.book);
      const end = await this.followToEnd();
      const summary = this.sumUp(end);
      await this.reporter.finish(summary);
      return summary;
    } finally {
      clearInterval(ticking);
      unlisten();
      this.reporter.close();
      await this.engine.close();
    }
  }

  togglePause(): void {
    const { isHeld } = this;
    this.act((engine) => (isHeld ? resumeRun : pauseRun)(engine.client, this.name));
  }

  private get isHeld(): boolean {
    const { job } = this.book;
    return job?.spec.parallelism === 0 || job?.spec.suspend === true;
  }

  changeParallelism(by: number): void {
    const now = this.book.job?.spec.parallelism ?? 1;
    const wanted = Math.max(1, now + by);
    if (wanted !== now) this.act((engine) => scaleRun(engine.client, this.name, wanted));
  }

  interrupt(): void {
    if (this.wish === "run") this.want(canDrain(this.book.job) ? "drain" : "terminate");
    else if (this.wish === "drain") this.want("terminate");
    else this.options.abandon();
  }

  terminate(end: RunEnd = "interrupted"): void {
    this.endIfStopped = end;
    if (this.wish === "terminate") this.options.abandon();
    else this.want("terminate");
  }

  private want(wish: Wish): void {
    this.wish = wish;
    const running = this.book.active;
    if (wish === "drain") {
      this.reporter.notice(
        `stopping: no more are started, ${running} still running (Ctrl-C again ends them)`,
      );
    } else {
      const why = canDrain(this.book.job) ? "" : ": this cluster cannot let them finish";
      this.reporter.notice(`ending ${running} that are still running${why}`);
    }
    this.act((engine) => this.carryOut(engine));
  }

  private async carryOut({ client }: ReachedEngine): Promise<void> {
    if (this.wish === "run") return;
    await pauseRun(client, this.name);
    if (this.wish === "terminate") await terminateRun(client, this.name);
    this.checkStopped();
  }

  /** A wish that nobody could hear is said again when there is an engine. */
  private act(change: (engine: ReachedEngine) => Promise<unknown>): void {
    change(this.engine).catch((error: unknown) => {
      if (error instanceof ApiError) this.reporter.notice(error.message);
    });
  }

  /** After a break the same is listed again. */
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
        // Jobs and pods are watched apart: the end of a pod may not have been heard of yet.
        await lookAtJob(this.following());
        return this.endIfStopped;
      }
      await this.engine.close();
      this.engine = this.seen(await this.options.reach());
      await this.engine.begun;
      await this.carryOut(this.engine);
    }
  }

  private seen(engine: ReachedEngine): ReachedEngine {
    return this.run.view?.(engine) ?? engine;
  }

  private following(): Following {
    const { client, ledger } = this.engine;
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

  /** Nothing runs any more, as the Job itself states. */
  private checkStopped(): void {
    const { job, active, succeeded, failed, total = Number.POSITIVE_INFINITY } = this.book;
    if (this.wish === "run" || !job || !isJobDrained(job)) return;
    // Pods that were made ahead may be there, and never begin.
    if (active > 0 && !runsAhead(job)) return;
    // With nothing left to stop it comes to its own end.
    if (succeeded + failed < total) this.stopping.abort();
  }

  private sumUp(end: RunEnd): Summary {
    const tookMs = this.options.nowMs() - this.startMs;
    const { name } = this.name;
    return summarize(end, this.book, { name, tookMs, failures: this.failures });
  }
}
