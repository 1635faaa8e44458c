/** "tally report": writes a run as one page of HTML. */
import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { Job } from "../../api/generated/batch.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { shellWord } from "../../command/shell-word.ts";
import type { Attempt } from "../../ledger/attempt.ts";
import type { IndexStory } from "../../ledger/reader.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import { getRun, openToRead } from "../host/open-host.ts";
import type { HostFlags, RunHost } from "../host/run-host.ts";
import { resultOf } from "../show/item-result.ts";
import { logToRead } from "../show/log-files.ts";
import { composeDurations } from "../show/page/histogram.ts";
import { type ReportedFailure, reportPage } from "../show/page/page.ts";
import { composeTimeline, type Span } from "../show/page/timeline.ts";
import { runStateOf } from "../show/run-state.ts";

export interface ReportPageFlags extends HostFlags {
  /** Where to write it; "-" for stdout. */
  readonly output: string;
}

const MOST_FAILURES = 1000;

export async function report(
  name: string,
  flags: ReportPageFlags,
  machine: Machine,
  nowMs: number = Date.now(),
): Promise<void> {
  const host = await openToRead(flags, machine);
  try {
    const job = await getRun(host, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes, and so no report of items`);
    }
    const file = resolve(machine.workingDirectory, flags.output);
    const gathered = await gather(host, job, dirname(file));
    const { spans, failures, failed } = gathered;
    const page = reportPage({
      state: runStateOf(job, await host.isLive()),
      command: commandOf(job),
      failed,
      timeline: composeTimeline(spans),
      durations: composeDurations(
        Float64Array.from(spans, ({ startMs, endMs }) => Math.max(0, endMs - startMs) / 1000),
      ),
      failures,
      nowMs,
    });
    if (flags.output === "-") {
      await machine.writeBytes(Buffer.from(page));
      return;
    }
    await writeFile(file, page);
    machine.writeOut(`${flags.output}\n`);
  } finally {
    await host.close();
  }
}

async function gather(host: RunHost, job: Job, directory: string) {
  const items = await host.items(job);
  const place = { namespace: host.namespace, jobName: job.metadata.name ?? "" };
  const spans: Span[] = [];
  const failures: ReportedFailure[] = [];
  let failed = 0;
  for await (const stories of storyPages(host.ledger, place)) {
    for (const story of stories) {
      const name = items.nameAt(story.index);
      spans.push(...spansOf(story, name ?? `index ${story.index}`));
      if (story.state !== "Failed") continue;
      failed++;
      if (failures.length >= MOST_FAILURES) continue;
      const result = resultOf(story, name);
      const log = result.last && logToRead(host, job, result.last);
      failures.push({ result, log: log ? relative(directory, log) : undefined });
    }
  }
  return { spans, failures, failed };
}

function spansOf({ attempts }: IndexStory, name: string): readonly Span[] {
  const isOfOne = attempts.length === 1;
  return attempts.flatMap((attempt, at) => {
    const { startTime, endTime, outcome } = attempt;
    if (startTime === undefined || endTime === undefined) return [];
    return [
      {
        startMs: Date.parse(startTime),
        endMs: Date.parse(endTime),
        hasFailed: outcome === "Failed",
        title: `${isOfOne ? name : `${name}, attempt ${at + 1}`}${endedHow(attempt)}`,
      },
    ];
  });
}

function endedHow({ outcome, exitCode }: Attempt): string {
  if (outcome === "Failed") return exitCode === undefined ? ", failed" : `, exit ${exitCode}`;
  return outcome === "Deleted" ? ", stopped" : "";
}

function commandOf({ spec }: Job): string {
  const [first] = spec.template.spec?.containers ?? [];
  return [...(first?.command ?? []), ...(first?.args ?? [])].map(shellWord).join(" ");
}
