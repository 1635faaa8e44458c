/**
 * Runtime "process": the command of a container as a process of this machine, with its files and
 * its network. The processes are the spawner's (src/agent/spawner); this end remembers what was
 * asked and not yet answered, so that the death of the spawner costs nobody anything: a new one is
 * started, says what it found, and the rest is asked again.
 */
import { mkdirSync } from "node:fs";
import type { Closable } from "../../../api/client.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { Connection } from "../../spawner/connection.ts";
import {
  type Capabilities,
  type EndedRun,
  formatRunName,
  type News,
  type RunName,
  type StartOrder,
} from "../../spawner/protocol.ts";
import { enterNetwork, enterSoon } from "../../spawner/sandbox/enter.ts";
import { findTools } from "../../spawner/sandbox/tools.ts";
import { type SpawnerBuild, spawnerBuild } from "../../spawner/start.ts";
import { HeldInputs } from "../../streams/held-inputs.ts";
import { StreamsChild } from "../../streams/streams-child.ts";
import {
  type CommandBeside,
  type ExecRequest,
  type Exit,
  type ProcessSettings,
  type RunId,
  type Running,
  RunRefused,
  type RunRequest,
  type Runtime,
  type StopSignal,
} from "../runtime.ts";
import { Execs, execName, isExec } from "./execs.ts";
import { type AllNews, type KnownRun, settleRuns } from "./known-runs.ts";
import { composeExecOrder, composeOrder } from "./start-order.ts";
import { recordedExit, recordedRun, toExit, toRunning } from "./told-runs.ts";

export interface ProcessRuntimeOptions {
  /** Of its own: the spawner's socket, records and slots. */
  readonly directory: string;
  readonly log: Log;
  readonly clock: Clock;
  /** The bundled spawner; absent: the one that comes with the package. */
  readonly spawnerFile?: string;
  /** The bundled child that holds streams; absent: the one that comes with the package. */
  readonly childFile?: string;
  /** False: no limit is enforced, and whoever has some is told so. */
  readonly usesCgroups?: boolean;
}

export type ProcessRuntime = Runtime & {
  readonly can: Capabilities;
  leave(podUid: string): void;
};

export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  const { directory, usesCgroups = true } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const build = spawnerBuild(usesCgroups, options.spawnerFile);
  const runtime = new SpawnedProcesses({ ...options, ...build });
  await runtime.connect();
  return runtime;
}

interface Starting {
  readonly order: StartOrder;
  readonly running: Promise<Running>;
  readonly resolve: (running: Running) => void;
  readonly reject: (refusal: Error) => void;
  readonly onUnmet?: ProcessSettings["onUnmet"];
}

interface Signalling {
  readonly run: RunName;
  readonly signal: StopSignal;
  readonly resolve: () => void;
}

type Options = ProcessRuntimeOptions & SpawnerBuild;

class SpawnedProcesses implements ProcessRuntime {
  readonly name = "process";
  private readonly starting = new Map<RunName, Starting>();
  /** By run: a thousand may be told to stop at once. */
  private readonly signalling = new Map<RunName, Signalling[]>();
  /** Runs whose end somebody waits for. */
  private readonly running = new Map<RunName, KnownRun>();
  private readonly execs = new Execs();
  private readonly inputs: HeldInputs;
  private readonly listeners = new Set<(exit: Exit) => void>();
  private readonly asking: ((all: AllNews) => void)[] = [];
  /** Forgotten while nobody was there to be told. */
  private readonly forgotten: RunName[] = [];
  private onClosed: (() => void) | undefined;
  private connection: Connection | undefined;
  private lastAbilities = UNABLE;
  /** Another spawner in place of one that is gone: settles when it is there, or cannot be. */
  private reconnecting: Promise<void> | undefined;
  private closing: "leave" | "end" | "over" | undefined;

  constructor(private readonly options: Options) {
    this.inputs = new HeldInputs(new StreamsChild(options));
  }

  get can(): Capabilities {
    return this.connection?.can ?? this.lastAbilities;
  }

  async connect(): Promise<void> {
    this.connection = await Connection.open({
      ...this.options,
      onNews: (news) => this.onNews(news),
      onLoss: () => {
        this.reconnecting = this.reconnect();
      },
    });
  }

  start(request: RunRequest): Promise<Running> {
    const order = composeOrder(request, process.cwd());
    const { input, settings } = request;
    if (input === undefined) return this.begin(order, settings);
    return this.inputs.prepare(order, input).then((prepared) => this.begin(prepared, settings));
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<number> {
    const beside = formatRunName(request.of);
    const run = execName(request);
    const isSandboxed = this.running.get(beside)?.running.isSandboxed === true;
    const end = this.execs.expect(request.isPassing ? undefined : beside, run);
    const kill = () => this.connection?.send({ order: "signal", run, signal: "KILL" });
    signal.addEventListener("abort", kill, { once: true });
    try {
      await this.begin(composeExecOrder(request, { run, beside, isSandboxed }, process.cwd()));
      return await end;
    } catch (error) {
      this.execs.neverBegan(run);
      throw error;
    } finally {
      signal.removeEventListener("abort", kill);
    }
  }

  async beside(request: ExecRequest): Promise<CommandBeside> {
    const { of, command, environment, workingDirectory } = request;
    const run = formatRunName(of);
    this.connection?.send({ order: "accompany", run });
    const directory = workingDirectory ?? process.cwd();
    if (!this.running.get(run)?.running.isSandboxed)
      return { command, environment, directory, run };
    const slot = () => this.running.get(run)?.running.pid;
    const entering = { command, environment, directory };
    const { tools } = findTools();
    const entered = tools && (await enterSoon(slot, entering, tools, this.options.clock));
    if (!entered) throw new Error("the container has not begun, or is over");
    return { ...entered, directory: "/", run };
  }

  inNetwork(id: RunId): readonly string[] | undefined {
    const running = this.running.get(formatRunName(id))?.running;
    return running?.isSandboxed ? enterNetwork(running.pid) : undefined;
  }

  private begin(order: StartOrder, settings?: ProcessSettings): Promise<Running> {
    const asked = this.starting.get(order.run);
    if (asked !== undefined) return asked.running;
    const { promise, resolve, reject } = withResolvers<Running>();
    const { onUnmet } = settings ?? {};
    const starting = { order, running: promise, resolve, reject };
    this.starting.set(order.run, onUnmet ? { ...starting, onUnmet } : starting);
    this.connection?.send(order);
    return promise;
  }

  signal(id: RunId, signal: StopSignal): Promise<void> {
    const run = formatRunName(id);
    return new Promise((resolve) => {
      const asked = this.signalling.get(run) ?? [];
      this.signalling.set(run, [...asked, { run, signal, resolve }]);
      this.connection?.send({ order: "signal", run, signal });
    });
  }

  recover(): Promise<{ running: readonly Running[]; ended: readonly Exit[] }> {
    return this.askForAll((all) => this.adopt(all));
  }

  private adopt(all: AllNews): { running: readonly Running[]; ended: readonly Exit[] } {
    for (const running of all.running) this.running.set(running.run, { running });
    for (const { run } of [...all.running, ...all.ended]) this.execs.recall(run);
    for (const { run } of all.running) this.inputs.recall(run);
    const isOwn = ({ run }: { readonly run: RunName }) => !isExec(run);
    return {
      running: all.running.filter(isOwn).map(recordedRun),
      ended: all.ended.filter(isOwn).map(recordedExit),
    };
  }

  onExit(listener: (exit: Exit) => void): Closable {
    this.listeners.add(listener);
    return { close: () => void this.listeners.delete(listener) };
  }

  forget(id: RunId): void {
    const run = formatRunName(id);
    this.sendForget(run);
    for (const exec of this.execs.leave(run)) {
      // One that is not over is about to be: its processes were those of its run.
      if (!this.running.has(exec)) this.sendForget(exec);
    }
  }

  leave(podUid: string): void {
    this.connection?.sendLater({ order: "leave", pod: podUid });
  }

  private sendForget(run: RunName): void {
    if (this.connection === undefined) this.forgotten.push(run);
    else this.connection.sendLater({ order: "forget", run });
  }

  async close({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<void> {
    // A spawner that is just coming has to be told too: it has found what is to be ended.
    await this.reconnecting;
    if (this.closing !== undefined) return;
    this.closing = leavesRunning ? "leave" : "end";
    await new Promise<void>((resolve) => {
      this.onClosed = () => {
        this.closing = "over";
        resolve();
      };
      if (this.connection === undefined) this.onClosed();
      else this.sendClose(leavesRunning);
    });
    this.connection?.close();
  }

  private sendClose(leavesRunning: boolean): void {
    this.connection?.send({ order: "close", leavesRunning });
  }

  private onNews(news: News): void {
    switch (news.news) {
      case "started":
        this.onStarted(news);
        break;
      case "refused":
        this.onRefused(news);
        break;
      case "ended":
        this.onEnded(news);
        break;
      case "signalled":
        this.onSignalled(news.run, news.signal);
        break;
      case "all":
        for (const take of this.asking.splice(0)) take(news);
        break;
      case "noWayOut":
        this.options.log.warn("pods in sandboxes reach nothing beyond this machine", {
          problem: news.problem,
        });
        this.connection?.lose(news.problem);
        break;
      default:
        this.onClosed?.();
    }
  }

  private onStarted({ unmet, news: _, ...running }: Extract<News, { news: "started" }>): void {
    const starting = this.take(running.run);
    const order = starting?.order ?? this.running.get(running.run)?.order;
    if (order === undefined) return;
    if (unmet !== undefined) starting?.onUnmet?.(unmet);
    this.running.set(running.run, { running, order });
    starting?.resolve(toRunning(running));
  }

  private onRefused({ run, exitCode, message }: Extract<News, { news: "refused" }>): void {
    this.take(run)?.reject(new RunRefused(exitCode, "StartError", message));
    const known = this.running.get(run)?.running;
    const finishedMs = this.options.clock.nowMs();
    if (known) this.onEnded({ ...known, exitCode, problem: message, finishedMs });
  }

  private take(run: RunName): Starting | undefined {
    const starting = this.starting.get(run);
    this.starting.delete(run);
    return starting;
  }

  private onEnded(end: EndedRun): void {
    // One that nobody knows of yet is told of by recover.
    if (!this.running.delete(end.run)) return;
    if (isExec(end.run)) {
      if (!this.execs.ended(end.run, end.exitCode)) this.sendForget(end.run);
      return;
    }
    // One that was only just forked had no mark yet by which it would have been ended.
    for (const run of this.execs.of(end.run)) {
      if (this.running.has(run)) this.connection?.send({ order: "signal", run, signal: "KILL" });
    }
    this.inputs.ended(end.run);
    const exit = toExit(end);
    for (const listener of this.listeners) listener(exit);
  }

  private onSignalled(run: RunName, signal: StopSignal): void {
    const asked = this.signalling.get(run) ?? [];
    const others = asked.filter((each) => each.signal !== signal);
    if (others.length > 0) this.signalling.set(run, others);
    else this.signalling.delete(run);
    for (const each of asked) if (each.signal === signal) each.resolve();
  }

  /** `take` is called at once: the news that follows may be the end of a run that it names. */
  private askForAll<T>(take: (all: AllNews) => T): Promise<T> {
    return new Promise((resolve) => {
      this.asking.push((all) => resolve(take(all)));
      this.connection?.send({ order: "tell" });
    });
  }

  private async reconnect(): Promise<void> {
    // The machine is the same: pods that come while there is no spawner wait for the next one.
    this.lastAbilities = this.can;
    this.connection = undefined;
    if (this.closing === "leave" || this.closing === "over") {
      this.onClosed?.();
      return;
    }
    this.options.log.warn("the spawner is gone; starting another");
    try {
      await this.connect();
    } catch (error) {
      this.options.log.error("no spawner", { error });
      if (this.closing) {
        this.onClosed?.();
        return;
      }
      this.options.clock.schedule(RETRY_MS, () => {
        this.reconnecting = this.reconnect();
      });
      return;
    }
    // It died before it had ended what ran: the next one has to.
    if (this.closing) this.sendClose(false);
    else void this.askForAll((all) => this.catchUp(all));
  }

  /** What happened while nobody told us, then what was never answered. */
  private catchUp(all: AllNews): void {
    const { ended, again } = settleRuns(this.running.values(), all, this.options.clock.nowMs());
    for (const end of ended) this.onEnded(end);
    const unanswered = [...this.starting.values()].map(({ order }) => order);
    for (const order of [...again, ...unanswered]) this.connection?.send(order);
    for (const run of this.forgotten.splice(0)) this.connection?.send({ order: "forget", run });
    for (const { run, signal } of [...this.signalling.values()].flat()) {
      this.connection?.send({ order: "signal", run, signal });
    }
  }
}

/** While there is no spawner to ask. */
const UNABLE: Capabilities = {
  enforcesMemory: false,
  enforcesCpu: false,
  sandbox: { problem: "the spawner is gone", hasNetwork: false, hasUsers: false },
};

const RETRY_MS = 1000;

interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
