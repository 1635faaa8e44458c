/** Chooses how a run in the foreground is reported: as lines, as JSON or on a screen. */
import type { Job } from "../../api/generated/batch.ts";
import type { Machine } from "../../command/machine.ts";
import { shellWord } from "../../command/shell-word.ts";
import type { RunControls } from "../follow/follow-run.ts";
import type { RunBook } from "../follow/run-book.ts";
import { shownPath } from "../host/data-directory.ts";
import { sameFlags } from "../host/open-host.ts";
import type { EngineHost, HostFlags } from "../host/run-host.ts";
import { podLog } from "./attempt-logs.ts";
import { ItemOutput } from "./item-output.ts";
import type { RunWords } from "./item-text.ts";
import { JsonReporter } from "./json-reporter.ts";
import { LineReporter } from "./line-reporter.ts";
import type { Reporter } from "./reporter.ts";
import { ScreenReporter } from "./screen/screen-reporter.ts";

export interface ReportFlags extends HostFlags {
  readonly output?: string;
  readonly keepOrder?: boolean;
  readonly quiet?: boolean;
}

export interface ReportedRun {
  readonly job: Job;
  readonly book: RunBook;
  readonly controls: RunControls;
  readonly host: EngineHost;
}

export function openReporter(run: ReportedRun, flags: ReportFlags, machine: Machine): Reporter {
  const { book, controls, host } = run;
  const { logs } = host;
  const words = wordsOf(run, flags, machine);
  const order = flags.keepOrder ? { order: { isSettled: book.isSettled } } : {};
  if (flags.output === "json") {
    return new JsonReporter({ console: machine, words, logs, ...order });
  }
  const nowMs = () => performance.now();
  const base = { words, nowMs, isQuiet: flags.quiet ?? false };
  const isPlain = !machine.hasReader || flags.quiet || machine.environment["TERM"] === "dumb";
  if (isPlain) {
    return new LineReporter({
      ...base,
      console: machine,
      output: (remark) => new ItemOutput({ console: machine, logs, remark, ...order }),
    });
  }
  return new ScreenReporter({
    ...base,
    book,
    controls,
    logs,
    terminal: {
      size: machine.terminalSize,
      write: machine.writeControls,
      onKey: machine.onKey,
      isColored: !machine.environment["NO_COLOR"],
    },
    console: machine,
    sharesTerminal: machine.hasOutReader,
    output: (console, remark) => new ItemOutput({ console, logs, remark, ...order }),
  });
}

function wordsOf({ job, host }: ReportedRun, flags: ReportFlags, machine: Machine): RunWords {
  const { backoffLimitPerIndex: retries } = job.spec;
  return {
    name: job.metadata.name ?? "",
    attempts: retries === undefined ? undefined : retries + 1,
    flags: sameFlags(flags),
    logOf: (attempt) => {
      const { dataDir, logs } = host;
      if (dataDir === undefined) return podLog(attempt.pod.name);
      const file = logs.filesOf(attempt)?.[0]?.out ?? dataDir;
      return shellWord(shownPath(file, machine.workingDirectory));
    },
  };
}
