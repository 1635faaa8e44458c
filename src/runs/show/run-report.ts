/** Who is told of a run, and how: text, JSON or a screen, as the flags and the terminal ask for. */
import type { Job } from "../../api/generated/batch.ts";
import type { Machine } from "../../command/machine.ts";
import type { RunWishes } from "../follow/conduct-run.ts";
import type { RunBook } from "../follow/run-book.ts";
import type { RunPlace } from "../host/run-place.ts";
import { JsonReporter } from "./json.ts";
import { PlainReporter } from "./plain.ts";
import type { Reporter } from "./reporter.ts";
import { ScreenReporter } from "./screen/screen-reporter.ts";
import { TaskOutput } from "./task-output.ts";
import type { RunWords } from "./words.ts";

export interface ReportFlags {
  readonly data?: string;
  /** One of them names a cluster. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly output?: string;
  readonly keepOrder?: boolean;
  readonly quiet?: boolean;
}

export interface ReportedRun {
  readonly job: Job;
  readonly book: RunBook;
  readonly wishes: RunWishes;
  readonly place: RunPlace;
}

export function openReporter(run: ReportedRun, flags: ReportFlags, machine: Machine): Reporter {
  const { book, wishes, place } = run;
  const { logs } = place;
  const words = wordsOf(run);
  const order = flags.keepOrder ? { order: { isSettled: book.isSettled } } : {};
  if (flags.output === "json") {
    return new JsonReporter({ console: machine, words, logs, ...order });
  }
  const nowMs = () => performance.now();
  const base = { words, nowMs, isQuiet: flags.quiet ?? false };
  const isPlain = !machine.hasReader || flags.quiet || machine.environment["TERM"] === "dumb";
  if (isPlain) {
    return new PlainReporter({
      ...base,
      console: machine,
      output: (remark) => new TaskOutput({ console: machine, logs, remark, ...order }),
    });
  }
  return new ScreenReporter({
    ...base,
    book,
    wishes,
    logs,
    terminal: {
      size: machine.terminalSize,
      write: machine.writeControls,
      onKey: machine.onKey,
      isColored: !machine.environment["NO_COLOR"],
    },
    console: machine,
    sharesTerminal: machine.hasOutReader,
    output: (console, remark) => new TaskOutput({ console, logs, remark, ...order }),
  });
}

function wordsOf({ job, place }: ReportedRun): RunWords {
  const { backoffLimitPerIndex: retries } = job.spec;
  const { name = "" } = job.metadata;
  return {
    name,
    attempts: retries === undefined ? undefined : retries + 1,
    flags: place.flags,
    logOf: (attempt) => place.logOf(name, attempt),
  };
}
