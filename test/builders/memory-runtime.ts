/**
 * A runtime without processes: the test decides how its runs end. It outlives the agents that use
 * it.
 */
import type {
  ExecRequest,
  Exit,
  RunId,
  Running,
  RunRefused,
  RunRequest,
  Runtime,
  StopSignal,
} from "../../src/agent/runtimes/runtime.ts";
import type { Closable } from "../../src/api/client.ts";
import type { Clock } from "../../src/base/clock.ts";

export interface SentSignal {
  readonly run: string;
  readonly signal: StopSignal;
}

export class MemoryRuntime implements Runtime {
  readonly name = "process";
  readonly requests: RunRequest[] = [];
  readonly signals: SentSignal[] = [];
  readonly forgotten: string[] = [];
  readonly execs: ExecRequest[] = [];
  private readonly execEnds = new Map<string, (exitCode: number) => void>();
  /** `leavesRunning` of each close(), in order. */
  readonly closings: boolean[] = [];
  /** If set, start() and exec() reject with this error. */
  failure: RunRefused | Error | undefined;
  /** If true, start() resolves only when the test calls answer(). */
  isSlow = false;
  private readonly running = new Map<string, Running>();
  private readonly ended = new Map<string, Exit>();
  private readonly listeners = new Set<(exit: Exit) => void>();
  private answers: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  async start(request: RunRequest): Promise<Running> {
    this.requests.push(request);
    if (this.failure) throw this.failure;
    const { id, place } = request;
    const where = place === undefined ? {} : { place };
    const running = { id, pid: this.requests.length, startedMs: this.clock.nowMs(), ...where };
    this.running.set(nameOf(id), running);
    if (this.isSlow) await new Promise<void>((answer) => this.answers.push(answer));
    return running;
  }

  answer(): void {
    for (const answer of this.answers.splice(0)) answer();
  }

  async signal(id: RunId, signal: StopSignal): Promise<void> {
    this.signals.push({ run: nameOf(id), signal });
  }

  exec(request: ExecRequest, signal: AbortSignal): Promise<number> {
    this.execs.push(request);
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve) => {
      this.execEnds.set(`${nameOf(request.of)}/${request.name}`, resolve);
      signal.addEventListener("abort", () => resolve(137));
    });
  }

  /** Ends the exec "POD/CONTAINER/ATTEMPT/NAME". */
  endExec(exec: string, exitCode = 0): void {
    const end = this.execEnds.get(exec);
    if (!end) throw new Error(`${exec} does not run, only: ${[...this.execEnds.keys()]}`);
    this.execEnds.delete(exec);
    end(exitCode);
  }

  async recover(): Promise<{ running: readonly Running[]; ended: readonly Exit[] }> {
    return { running: [...this.running.values()], ended: [...this.ended.values()] };
  }

  onExit(listener: (exit: Exit) => void): Closable {
    this.listeners.add(listener);
    return { close: () => void this.listeners.delete(listener) };
  }

  forget(id: RunId): void {
    this.forgotten.push(nameOf(id));
    this.ended.delete(nameOf(id));
  }

  async close({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<void> {
    this.closings.push(leavesRunning);
    this.listeners.clear();
  }

  /** The names of all running runs. */
  get alive(): readonly string[] {
    return [...this.running.keys()];
  }

  /** Ends the run "POD/CONTAINER/ATTEMPT", either on its own or because of a signal. */
  end(run: string, exitCode = 0): void {
    const running = this.running.get(run);
    if (!running) throw new Error(`${run} does not run, only: ${this.alive}`);
    const { id, startedMs } = running;
    this.running.delete(run);
    const exit = { id, exitCode, startedMs, finishedMs: this.clock.nowMs() };
    this.ended.set(run, exit);
    for (const listener of this.listeners) listener(exit);
  }

  /** Removes the run without an exit: nobody will ever know how it ended. */
  lose(run: string): void {
    this.running.delete(run);
  }
}

function nameOf({ podUid, container, attempt }: RunId): string {
  return `${podUid}/${container}/${attempt}`;
}
