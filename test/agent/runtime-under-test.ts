/** A process runtime in its own directory, with short functions to start runs and to wait. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import {
  openProcessRuntime,
  type ProcessRuntime,
} from "../../src/agent/runtimes/process/process-runtime.ts";
import type { Exit, RunId, Running, RunRequest } from "../../src/agent/runtimes/runtime.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Bundled } from "./bundled.ts";

export const PATH = "/usr/local/bin:/usr/bin:/bin";

export class RuntimeUnderTest {
  readonly directory = mkdtempSync(join(tmpdir(), "tally-runtime-"));
  readonly exits: Exit[] = [];
  private waiting: (() => void)[] = [];
  private current: ProcessRuntime | undefined;
  private count = 0;

  constructor(private readonly bundled: Bundled) {}

  get runtime(): ProcessRuntime {
    if (this.current === undefined) throw new Error("not open");
    return this.current;
  }

  get agentDirectory(): string {
    return join(this.directory, "agent");
  }

  async open(
    spawnerFile = this.bundled.spawner,
    { usesCgroups } = { usesCgroups: true },
  ): Promise<ProcessRuntime> {
    this.current = await openProcessRuntime({
      usesCgroups,
      directory: this.agentDirectory,
      log: silentLog,
      clock: systemClock,
      spawnerFile,
    });
    this.current.onExit((exit) => {
      this.exits.push(exit);
      for (const wake of this.waiting.splice(0)) wake();
    });
    return this.current;
  }

  /** The name is unique on the machine: the runtime ends the leftovers of a run by it. */
  podUid(count: number): string {
    return `${basename(this.directory)}-${count}`;
  }

  request(command: readonly string[], more: Partial<RunRequest> = {}): RunRequest {
    const id = { podUid: this.podUid(this.count++), container: "main", attempt: 0 };
    return {
      id,
      command,
      environment: [["PATH", PATH]],
      workingDirectory: this.directory,
      logFile: this.logFile(id),
      ...more,
    };
  }

  /** Runs a script with sh. */
  script(text: string, more: Partial<RunRequest> = {}): RunRequest {
    return this.request(["sh", "-c", text], more);
  }

  start(request: RunRequest): Promise<Running> {
    return this.runtime.start(request);
  }

  async run(request: RunRequest): Promise<Exit> {
    await this.start(request);
    return this.exitOf(request.id);
  }

  async exitOf(id: RunId): Promise<Exit> {
    for (;;) {
      const exit = this.exits.find((each) => isSame(each.id, id));
      if (exit !== undefined) return exit;
      await new Promise<void>((wake) => this.waiting.push(wake));
    }
  }

  logFile({ podUid, container, attempt }: RunId): string {
    return join(this.directory, "logs", `${podUid}_${container}_${attempt}.log`);
  }

  /** Empty until the process has opened its log. */
  logOf({ logFile }: RunRequest): string {
    return existsSync(logFile) ? readFileSync(logFile, "utf8") : "";
  }

  /** Starts another process that owns the runtime; it answers with pids. */
  async owner(): Promise<Owner> {
    const { owner, spawner } = this.bundled;
    const child = spawn(process.execPath, [owner, this.agentDirectory, spawner], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    return {
      start: async (request) => {
        child.stdin.write(`${JSON.stringify(request)}\n`);
        return Number((await lines.next()).value);
      },
      kill: () => end(child),
    };
  }

  async killSpawner(): Promise<void> {
    const pid = this.spawnerPid();
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid));
  }

  /** The name of the spawner's lock begins with its pid. */
  spawnerPid(): number {
    const holders = readdirSync(join(this.agentDirectory, "lock"));
    return Number(holders[0]?.split("-")[0]);
  }

  async dispose(): Promise<void> {
    await this.current?.close({ leavesRunning: false });
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export interface Owner {
  start(request: RunRequest): Promise<number>;
  kill(): Promise<void>;
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

function isSame(one: RunId, other: RunId): boolean {
  return one.podUid === other.podUid && one.attempt === other.attempt;
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** Polls until the condition holds; the test's timeout ends the wait. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
