/** The audit log file: one line of JSON per event, readable only by its owner. */
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Log } from "../base/log.ts";

export interface AuditFile {
  note(event: object): void;
  close(): Promise<void>;
}

/** If the disk is slower than the requests, the backlog must not use up the server's memory. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** Write errors are reported in the server's log; requests continue. */
export async function openAuditFile(path: string, log: Log): Promise<AuditFile> {
  // Find out before the server starts whether the file can be written.
  await (await open(path, "a", OWNER_ONLY)).close();
  const stream = createWriteStream(path, { flags: "a", mode: OWNER_ONLY });
  let lost = 0;
  stream.on("error", (error) => log.error("the audit log cannot be written", { path, error }));
  return {
    note: (event) => {
      if (stream.writableLength > MOST_WAITING_BYTES || stream.errored) {
        if (lost++ === 0) log.error("events are missing from the audit log", { path });
        return;
      }
      stream.write(`${JSON.stringify(event)}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        if (lost > 0) log.error("events are missing from the audit log", { path, count: lost });
        stream.end(() => resolve());
        if (stream.errored) resolve();
      }),
  };
}
