/** "tally results": what became of every item, for a spreadsheet or a program. */
import type { Job } from "../../api/generated/batch.ts";
import { terminalText } from "../../base/terminal-text.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import { getJob, openRunsToRead, type RunsFlags, tellRemarks } from "../host/stored.ts";
import { type NumberedAttempt, resultOf } from "../show/item-result.ts";
import { attemptFiles, podLog, shownPath } from "../show/log-files.ts";
import { RESULT_FORMATS, type ResultFormat, resultWriter } from "../show/results.ts";

export interface ResultsFlags extends RunsFlags {
  readonly format: string;
  readonly failed?: boolean;
}

/** What is written at once. */
const BLOCK_LETTERS = 64 * 1024;

export async function results(name: string, flags: ResultsFlags, machine: Machine): Promise<void> {
  const format = readFormat(flags.format);
  const runs = await openRunsToRead(flags, machine);
  try {
    const job = await getJob(runs, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes, and so no results of items`);
    }
    const items = await runs.itemsOf(job);
    const writer = resultWriter(format, items.parameters);
    const logOf = logFinder(runs, job, machine);
    await tellRemarks(runs, job, machine);
    let text = writer.head;
    // A file gets the values as they are; on a terminal they must not act.
    const shown = (rows: string) => (machine.hasOutReader ? terminalText(rows) : rows);
    let isFirst = true;
    let from: string | undefined;
    do {
      const page = await runs.ledger.list(
        { namespace: runs.namespace, jobName: name },
        { ...(flags.failed ? { state: "Failed" } : {}), ...(from === undefined ? {} : { from }) },
      );
      for (const story of page.items) {
        const result = resultOf(story, items.nameAt(story.index));
        const log = result.last && logOf(result.last);
        const values = items.valuesAt(story.index);
        text += writer.row({ result, values, log }, isFirst);
        isFirst = false;
        if (text.length < BLOCK_LETTERS) continue;
        await machine.writeBytes(Buffer.from(shown(text)));
        text = "";
      }
      from = page.next;
    } while (from !== undefined);
    await machine.writeBytes(Buffer.from(shown(text + writer.tail)));
  } finally {
    await runs.close();
  }
}

function logFinder(
  { dataDir }: RunsToRead,
  job: Job,
  { workingDirectory }: Machine,
): (last: NumberedAttempt) => string | undefined {
  if (dataDir === undefined) return ({ attempt }) => podLog(attempt);
  const place = { dataDir: shownPath(dataDir, workingDirectory), job };
  return (last) => attemptFiles(place, last).at(-1)?.out;
}

function readFormat(given: string): ResultFormat {
  const format = RESULT_FORMATS.find((each) => each === given);
  if (format) return format;
  throw new UsageError(`--format must be csv, json or jsonl, not ${JSON.stringify(given)}`);
}
