/** Runs in the foreground: follows a run on its host, reports it, and returns the exit code. */
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { EngineHost } from "../host/run-host.ts";
import { openReporter, type ReportFlags } from "../show/open-reporter.ts";
import { BROKEN_OFF, INTERRUPTED } from "../show/summary.ts";
import { type CreateRun, followRun, type RunControls } from "./follow-run.ts";

export async function runInForeground(
  openHost: () => Promise<EngineHost>,
  create: CreateRun,
  flags: ReportFlags,
  machine: Machine,
): Promise<number> {
  try {
    const host = await openHost();
    try {
      const summary = await followRun(host, {
        create,
        openReporter: ({ job }, book, controls) =>
          openReporter({ job, book, controls, host }, flags, machine),
        listen: (controls) => listen(controls, machine),
        nowMs: () => performance.now(),
        beganMs: performance.timeOrigin,
        abandon: () => machine.exit(INTERRUPTED),
      });
      return summary?.exitCode ?? 0;
    } finally {
      await host.close();
    }
  } catch (error) {
    throw error instanceof UsageError || error instanceof CommandFailure ? error : brokenOff(error);
  }
}

function brokenOff(error: unknown): CommandFailure {
  const text = error instanceof Error ? error.message : String(error);
  return new CommandFailure(`tally run: ${text}`, BROKEN_OFF);
}

function listen(controls: RunControls, machine: Machine): () => void {
  machine.onReaderGone(() => controls.terminate("unread"));
  return machine.onSignal((signal) => {
    if (signal === "SIGINT") controls.interrupt();
    else controls.terminate();
  });
}
