/**
 * The directory in which a story is played: the files that tasks read and write, the processes that
 * were started there, and ways to look at both.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Begin, JournalLine, PlaceSeen } from "./history.ts";
import { planOf, type Story, taskNames } from "./story.ts";
import { TASK } from "./task.ts";

export interface Command {
  readonly args: readonly string[];
  readonly place: PlaceSeen;
  readonly environment?: { readonly [name: string]: string };
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly isOver: () => boolean;
  readonly out: () => string;
  readonly error: () => string;
}

const FOLDERS = ["keys", "attempts", "values", "plans", "go", "lists", "here", "there"];
const UMASKS = ["0022", "0027", "0077"];

export class Stage {
  readonly root = mkdtempSync(path.join(tmpdir(), "tally-model-"));
  readonly data = path.join(this.root, "data");
  readonly program: string;
  readonly #story: Story;
  readonly #keys = new Map<string, number>();
  readonly #tasks: string[] = [];
  readonly #versions = new Map<string, number>();
  readonly #started = new Set<Started>();

  constructor(program: string, story: Story) {
    this.program = program;
    this.#story = story;
    for (const folder of FOLDERS) mkdirSync(this.path(folder));
    writeFileSync(this.path("task.sh"), TASK);
    appendFileSync(this.path("journal"), "");
  }

  path(...parts: readonly string[]): string {
    return path.join(this.root, ...parts);
  }

  /** What a task sees if the surroundings are those of the leg that asked for it. */
  placeOf(number: number): PlaceSeen {
    return {
      word: `w${number}`,
      umask: UMASKS[number % UMASKS.length] ?? "",
      files: String(20_000_000 + number),
      directory: number % 2 === 0 ? "here" : "there",
    };
  }

  /** Tells tasks who they are. The same list with the same command line has the same version. */
  publish(run: string, list: Parameters<typeof taskNames>[1], isNew: boolean): number {
    const text = JSON.stringify([run, list, isNew ? this.#versions.size : ""]);
    const known = this.#versions.get(text);
    if (known !== undefined) return known;
    const version = this.#versions.size;
    this.#versions.set(text, version);
    taskNames(run, list).forEach((task, index) => {
      writeFileSync(this.path("keys", `${run}.${version}.${index}`), `${this.#keyOf(task)}\n`);
    });
    return version;
  }

  #keyOf(task: string): number {
    const known = this.#keys.get(task);
    if (known !== undefined) return known;
    const key = this.#tasks.push(task) - 1;
    this.#keys.set(task, key);
    const planned = this.#story.plans[task]?.attempts.length ?? 0;
    for (let attempt = 1; attempt <= planned + 1; attempt++) {
      const { code, lines, isHeld } = planOf(this.#story, task, attempt);
      const name = attempt > planned ? `${key}.after` : `${key}.${attempt}`;
      writeFileSync(this.path("plans", name), `${code} ${lines} ${isHeld ? 1 : 0}\n`);
    }
    return key;
  }

  /** What tasks print instead of their names. */
  keys(): ReadonlyMap<string, number> {
    return this.#keys;
  }

  release(run: string): void {
    writeFileSync(this.path("go", run), "");
  }

  hold(run: string): void {
    rmSync(this.path("go", run), { force: true });
  }

  journal(): readonly JournalLine[] {
    const lines = readFileSync(this.path("journal"), "utf8").split("\n").slice(0, -1);
    return lines.map((line) => this.#parse(line));
  }

  journalLength(): number {
    return readFileSync(this.path("journal"), "utf8").split("\n").length - 1;
  }

  #parse(line: string): JournalLine {
    const [kind, ...words] = line.split(" ");
    if (kind === "E") {
      const [key, attempt, code] = words.map(Number);
      const task = this.#tasks[key ?? -1] ?? "";
      return { kind: "end", task, attempt: attempt ?? 0, code: code ?? 0 };
    }
    const [run = "", version, index, key, attempt, pid, slot, ...place] = words;
    const [word = "", umask = "", files = "", directory = ""] = place;
    return {
      kind: "begin",
      task: this.#tasks[Number(key)],
      ...{ run, version: Number(version), index: Number(index), attempt: Number(attempt) },
      ...{ pid: Number(pid), slot: Number(slot), place: { word, umask, files, directory } },
      values: this.#valuesOf(`${key}.${attempt}`),
    };
  }

  #valuesOf(name: string): readonly string[] {
    return readFileSync(this.path("values", name), "utf8").split("\0").slice(0, -1);
  }

  start({ args, place, environment = {} }: Command): Started {
    const { word, umask, files, directory } = place;
    const wrapper = `umask ${umask}; ulimit -Sf ${files}; exec "$0" "$@"`;
    const all = ["-c", wrapper, process.execPath, this.program, ...args, "--data", this.data];
    const child = spawn("/bin/sh", splitAtCommand(all, args), {
      cwd: this.path(directory),
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: this.root, XDG_STATE_HOME: "", WORD: word, ...environment },
    });
    const written = { out: "", error: "" };
    let isOver = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      written.error += text;
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", (code) => {
        isOver = true;
        this.#started.delete(started);
        resolve(code);
      });
    });
    const started: Started = {
      ...{ process: child, ended, isOver: () => isOver },
      ...{ out: () => written.out, error: () => written.error },
    };
    this.#started.add(started);
    return started;
  }

  /** Commands of the user that are running. */
  clis(): readonly number[] {
    return [...this.#started].flatMap(({ process: { pid } }) => pid ?? []);
  }

  spawner(): readonly number[] {
    try {
      const holders = readdirSync(path.join(this.data, "agent", "lock"));
      return holders.map((holder) => Number.parseInt(holder, 10)).filter(isAlive);
    } catch {
      return [];
    }
  }

  /** The shells that start tasks: each notes what happened in a file of its own. */
  slots(): readonly number[] {
    const notes = path.join(this.data, "agent", "slot-");
    return processes().filter((pid) => errorFileOf(pid).startsWith(notes));
  }

  tasks(): readonly Begin[] {
    const begins = this.journal().filter((line) => line.kind === "begin");
    return begins.filter(({ pid }) => commandLineOf(pid).includes(this.path("task.sh")));
  }

  dispose(): void {
    const all = () => [
      ...this.clis(),
      ...this.spawner(),
      ...this.slots(),
      ...this.tasks().map(({ pid }) => pid),
    ];
    // A spawner that is killed leaves slots for the next look.
    for (let look = 0; look < 3; look++) for (const pid of all()) send(pid, "SIGKILL");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Flags stand before the command of the run. */
function splitAtCommand(all: readonly string[], args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  if (at < 0) return all;
  const before = all.slice(0, all.length - 2 - (args.length - at));
  return [...before, ...all.slice(-2), ...args.slice(at)];
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has left by itself.
  }
}

function isAlive(pid: number): boolean {
  return commandLineOf(pid) !== "";
}

function processes(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for what is gone, or ended and not yet waited for. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function errorFileOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/2`);
  } catch {
    return "";
  }
}
