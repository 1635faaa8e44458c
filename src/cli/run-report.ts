/** Who is told of a run, and how: text, JSON or a screen, as the flags and the terminal ask for. */
import { relative } from "node:path";
import type { Job } from "../api/generated/batch.ts";
import type { TaskAttempt } from "../run/attempt.ts";
import type { RunWishes } from "../run/conduct-run.ts";
import { JsonReporter } from "../run/output/json.ts";
import { PlainReporter } from "../run/output/plain.ts";
import type { Reporter } from "../run/output/reporter.ts";
import { taskFiles } from "../run/output/task-files.ts";
import { TaskOutput } from "../run/output/task-output.ts";
import type { RunBook } from "../run/run-book.ts";
import { ScreenReporter } from "../run/screen/screen-reporter.ts";
import { type RunWords, shellWord } from "../run/words.ts";
import type { Machine } from "./machine.ts";

export interface ReportFlags {
  readonly data?: string;
  readonly output?: string;
  readonly keepOrder?: boolean;
  readonly quiet?: boolean;
}

export interface ReportedRun {
  readonly job: Job;
  readonly book: RunBook;
  readonly wishes: RunWishes;
  readonly dataDir: string;
}

export function openReporter(run: ReportedRun, flags: ReportFlags, machine: Machine): Reporter {
  const { book, wishes, dataDir } = run;
  const words = wordsOf(run, flags, machine);
  const order = flags.keepOrder ? { order: { isSettled: book.isSettled } } : {};
  if (flags.output === "json") {
    return new JsonReporter({ console: machine, words, dataDir, ...order });
  }
  const nowMs = () => performance.now();
  const base = { words, nowMs, isQuiet: flags.quiet ?? false };
  const isPlain = !machine.hasReader || flags.quiet || machine.environment["TERM"] === "dumb";
  if (isPlain) {
    return new PlainReporter({
      ...base,
      console: machine,
      output: (remark) => new TaskOutput({ console: machine, dataDir, remark, ...order }),
    });
  }
  return new ScreenReporter({
    ...base,
    book,
    wishes,
    dataDir,
    terminal: {
      size: machine.terminalSize,
      write: machine.writeError,
      onKey: machine.onKey,
      isColored: !machine.environment["NO_COLOR"],
    },
    console: machine,
    sharesTerminal: machine.hasOutReader,
    output: (console, remark) => new TaskOutput({ console, dataDir, remark, ...order }),
  });
}

function wordsOf({ job, dataDir }: ReportedRun, flags: ReportFlags, machine: Machine): RunWords {
  const { backoffLimitPerIndex: retries } = job.spec;
  const logOf = (attempt: TaskAttempt): string => {
    const file = taskFiles(dataDir, attempt)[0]?.out ?? dataDir;
    const near = relative(machine.workingDirectory, file);
    return shellWord(near.startsWith("..") ? file : near);
  };
  return {
    name: job.metadata.name ?? "",
    attempts: retries === undefined ? undefined : retries + 1,
    flags: flags.data === undefined ? "" : ` --data ${shellWord(flags.data)}`,
    logOf,
  };
}
