/** "tally results": what became of every item, for a spreadsheet or a program. */
import { UsageError } from "../base/usage-error.ts";
import { resultOf } from "../report/item-result.ts";
import { RESULT_FORMATS, type ResultFormat, resultWriter } from "../report/results.ts";
import { CommandFailure } from "./command-failure.ts";
import type { Machine } from "./machine.ts";
import { attemptFiles, shownPath } from "./runs/log-files.ts";
import { getJob, openRunsToRead, type RunsFlags } from "./runs/stored.ts";

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
    const job = getJob(runs, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes, and so no results of items`);
    }
    const items = runs.itemsOf(job);
    const writer = resultWriter(format, items.parameters);
    const place = { dataDir: shownPath(runs.dataDir, machine.workingDirectory), job };
    let text = writer.head;
    let isFirst = true;
    let from: string | undefined;
    do {
      const page = await runs.ledger.list(
        { namespace: runs.namespace, jobName: name },
        { ...(flags.failed ? { state: "Failed" } : {}), ...(from === undefined ? {} : { from }) },
      );
      for (const story of page.items) {
        const result = resultOf(story, items.nameAt(story.index));
        const log = result.last && attemptFiles(place, result.last).at(-1)?.out;
        const values = items.valuesAt(story.index);
        text += writer.row({ result, values, log }, isFirst);
        isFirst = false;
        if (text.length < BLOCK_LETTERS) continue;
        await machine.writeBytes(Buffer.from(text));
        text = "";
      }
      from = page.next;
    } while (from !== undefined);
    await machine.writeBytes(Buffer.from(text + writer.tail));
  } finally {
    await runs.close();
  }
}

function readFormat(given: string): ResultFormat {
  const format = RESULT_FORMATS.find((each) => each === given);
  if (format) return format;
  throw new UsageError(`--format must be csv, json or jsonl, not ${JSON.stringify(given)}`);
}
