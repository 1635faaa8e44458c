/** The audit log as a file: a line of JSON for each event, for its owner alone. */
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Log } from "../base/log.ts";

export interface AuditFile {
  note(event: object): void;
  close(): Promise<void>;
}

/** A disk that is slower than the requests must not take the memory of the server. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** What cannot be written is said in the log of the server; requests go on. */
export async function openAuditFile(path: string, log: Log): Promise<AuditFile> {
  // Whether it can be written at all is found out before the server starts.
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
