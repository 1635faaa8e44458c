/** The audit log file: one line of JSON per event, readable only by its owner. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Log } from "../base/log.ts";

export interface AuditFile {
  note(event: object): void;
  close(): Promise<void>;
}

/** If the disk is slower than the requests, the backlog must not use up the server's memory. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/**
 * Write errors are reported in the server's log; requests continue. Rejects with a sentence for the
 * user if somebody else may have made the file.
 */
export async function openAuditFile(path: string, log: Log): Promise<AuditFile> {
  const stream = (await openForUs(path)).createWriteStream();
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

/** Our own outputs, whatever they are. */
const OUTPUTS: readonly string[] = ["/dev/stdout", "/dev/stderr"];
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** What is judged is the open file: its name may stand for another one a moment later. */
async function openForUs(path: string): Promise<FileHandle> {
  if (OUTPUTS.includes(path)) return open(path, "a");
  const refused = (why: string) => new Error(`--audit-log ${path} ${why}`);
  const handle = await open(
    path,
    // A FIFO would otherwise hold up the start until somebody reads it.
    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
    OWNER_ONLY,
  ).catch((error: NodeJS.ErrnoException) => {
    throw refused(WHY[error.code ?? ""] ?? `cannot be written: ${error.message}`);
  });
  try {
    const found = await handle.stat();
    const uid = process.geteuid?.() ?? found.uid;
    if (!found.isFile()) throw refused(NOT_REGULAR);
    if (found.uid !== uid) {
      const owner = `belongs to another user (${found.uid}, you are ${uid})`;
      throw refused(`${owner}, who could read or change what is written there`);
    }
    if (found.nlink > 1) {
      throw refused("has another name (a hard link), where it may be something else");
    }
    if ((found.mode & OTHERS) !== 0) await handle.chmod(OWNER_ONLY);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const OTHERS = 0o077;
const NOT_REGULAR = "is not a regular file: events would be lost with whoever reads it";

const WHY: { readonly [code: string]: string | undefined } = {
  ELOOP: "is a symbolic link, which is not followed, because another user may have made it",
  ENXIO: NOT_REGULAR,
  EISDIR: "is a directory",
};
