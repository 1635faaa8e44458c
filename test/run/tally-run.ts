/** `tally run` as a user has it: a directory, a command line, what it prints and how it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { testimonyOf } from "../support/testimony.ts";
import { waitingFor } from "../support/waits.ts";

const BINARY = path.resolve(import.meta.dirname, "../../dist/main.js");

export interface Ended {
  /** Of the process; null where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  out(): string;
  error(): string;
}

/** What the process has around it, if that is not what the test has. */
export interface How {
  /** On top of the environment of this process. */
  readonly env?: { readonly [name: string]: string };
  /** Commands for the shell that starts it: "umask 077". */
  readonly before?: string;
  readonly directory?: string;
  /** Its first line says what runs it, as with an installed program. */
  readonly isInstalled?: boolean;
}

/** A directory of its own to run things in. Everything that was started there goes with it. */
export class Place {
  readonly directory = mkdtempSync(path.join(tmpdir(), "tally-run-"));
  private readonly started = new Set<ChildProcess>();

  start(args: readonly string[], input?: string, how: How = {}): Started {
    const { env = {}, before, isInstalled, directory = this.directory } = how;
    const typed = [...(isInstalled ? [] : [process.execPath]), BINARY, ...args];
    // The shell becomes the program: the process keeps its pid.
    const [program = "", ...words] =
      before === undefined ? typed : ["sh", "-c", `${before}; exec "$@"`, "sh", ...typed];
    const child = spawn(program, words, {
      cwd: directory,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      env: { ...process.env, HOME: this.directory, XDG_STATE_HOME: "", ...env },
    });
    this.started.add(child);
    if (input !== undefined) child.stdin?.end(input);
    const written = { out: "", error: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      written.out += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      written.error += text;
    });
    const closed = new Promise<Ended>((resolve) =>
      child.once("close", (code) => {
        this.started.delete(child);
        resolve({ code, ...written });
      }),
    );
    const what = `tally ${args.join(" ")} (pid ${child.pid}) to end`;
    const describe = () => this.testimonyOf(child, written);
    const ended = waitingFor({ what, describe }, closed);
    return { process: child, ended, out: () => written.out, error: () => written.error };
  }

  run(args: readonly string[], input?: string, how?: How): Promise<Ended> {
    return this.start(args, input, how).ended;
  }

  /** Its diagnostics, if it hosts the engine, are in the log of the engine. */
  private async testimonyOf(
    child: ChildProcess,
    { out, error }: { readonly out: string; readonly error: string },
  ): Promise<string> {
    const log = () => {
      const file = this.path(".tally", "engine.log");
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };
    return `it printed:\n${out}${error}\n${await testimonyOf({ process: child, log })}`;
  }

  path(...parts: readonly string[]): string {
    return path.join(this.directory, ...parts);
  }

  /** The process that starts all others, if it is there: its lock is named after its pid. */
  private spawner(): number | undefined {
    try {
      const [holder] = readdirSync(this.path(".tally", "agent", "lock"));
      return holder === undefined ? undefined : Number.parseInt(holder, 10);
    } catch {
      return undefined;
    }
  }

  dispose(): void {
    for (const child of this.started) child.kill("SIGKILL");
    const spawner = this.spawner();
    try {
      if (spawner !== undefined) process.kill(spawner, "SIGKILL");
    } catch {
      // It has left by itself.
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const LOOK_AGAIN_MS = 10;

/** Settles when it is so; the test's own time limit ends the wait. */
export function until(isSo: () => boolean): Promise<void> {
  return waitingFor({ what: isSo.toString() }, look(isSo));
}

async function look(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
