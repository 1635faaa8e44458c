/** "tally results": the result of every item, for a spreadsheet or a program. */
import type { Job } from "../../api/generated/batch.ts";
import { terminalText } from "../../base/terminal-text.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import { shownPath } from "../host/data-directory.ts";
import { getRun, openToRead, printRemarks } from "../host/open-host.ts";
import type { HostFlags, RunHost } from "../host/run-host.ts";
import { loggedAttempt, podLog } from "../show/attempt-logs.ts";
import { type NumberedAttempt, resultOf } from "../show/item-result.ts";
import { RESULT_FORMATS, type ResultFormat, resultWriter } from "../show/results.ts";

export interface ResultsFlags extends HostFlags {
  readonly format: string;
  readonly failed?: boolean;
}

/** How much is written at once. */
const BLOCK_LETTERS = 64 * 1024;

export async function results(name: string, flags: ResultsFlags, machine: Machine): Promise<void> {
  const format = readFormat(flags.format);
  const host = await openToRead(flags, machine);
  try {
    const job = await getRun(host, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes, and so no results of items`);
    }
    const items = await host.items(job);
    const writer = resultWriter(format, items.parameters);
    const logOf = logFinder(host, job, machine);
    await printRemarks(host, job, machine);
    let text = writer.head;
    // A file gets the values unchanged; control characters must not reach a terminal.
    const shown = (rows: string) => (machine.hasOutReader ? terminalText(rows) : rows);
    let isFirst = true;
    const place = { namespace: host.namespace, jobName: name };
    const query = flags.failed ? ({ state: "Failed" } as const) : {};
    for await (const stories of storyPages(host.ledger, place, query)) {
      for (const story of stories) {
        const result = resultOf(story, items.nameAt(story.index));
        const log = result.last && logOf(result.last);
        const values = items.valuesAt(story.index);
        text += writer.row({ result, values, log }, isFirst);
        isFirst = false;
        if (text.length < BLOCK_LETTERS) continue;
        await machine.writeBytes(Buffer.from(shown(text)));
        text = "";
      }
    }
    await machine.writeBytes(Buffer.from(shown(text + writer.tail)));
  } finally {
    await host.close();
  }
}

function logFinder(
  { logs }: RunHost,
  job: Job,
  { workingDirectory }: Machine,
): (last: NumberedAttempt) => string | undefined {
  return (last) => {
    const files = logs.filesOf(loggedAttempt(job, last));
    if (!files) return podLog(last.attempt.pod);
    const file = files.at(-1)?.out;
    return file && shownPath(file, workingDirectory);
  };
}

function readFormat(given: string): ResultFormat {
  const format = RESULT_FORMATS.find((each) => each === given);
  if (format) return format;
  throw new UsageError(`--format must be csv, json or jsonl, not ${JSON.stringify(given)}`);
}
