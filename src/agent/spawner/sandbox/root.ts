/**
 * The folder of one root: the layer that is written to, what the kernel needs beside it, and a file
 * for last words. It is the host's that look at it, while the sandbox has it mounted.
 */
import { chmodSync, type Dirent, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class Root {
  /** Something is mounted in it, or has another name outside. */
  isSpoilt = false;
  private readonly uppers: readonly string[];

  constructor(
    readonly number: number,
    readonly folder: string,
    others: number,
  ) {
    const uppers = ["upper", ...Array.from({ length: others }, (_, at) => `upper-${at}`)];
    const works = uppers.map((name) => name.replace("upper", "work"));
    for (const name of ["", "root", ...uppers, "upper/etc", ...works])
      mkdirSync(join(folder, name));
    for (const name of NAMED) writeFileSync(join(folder, "upper/etc", name), "");
    writeFileSync(this.messageFile, "");
    chmodSync(this.messageFile, 0o666);
    this.uppers = uppers.map((name) => join(folder, name));
  }

  /** Where the sandbox has it. */
  get path(): string {
    return join(this.folder, "root");
  }

  get messageFile(): string {
    return join(this.folder, "message");
  }

  /** As /etc/NAME: always the same file, since the sandbox may have looked at it before. */
  write(name: (typeof NAMED)[number], text: string | Buffer): void {
    writeFileSync(join(this.folder, "upper/etc", name), text);
  }

  /** Whatever was written, removed or renamed has left its trace in a layer. */
  isAsFound(leader: number): boolean {
    if (this.isSpoilt || statSync(this.messageFile).size > 0) return false;
    const [upper = "", ...others] = this.uppers;
    return (
      hasOnly(upper, ["etc"]) &&
      hasOnly(join(upper, "etc"), NAMED) &&
      others.every((path) => hasOnly(path, [])) &&
      hasOnly(`/proc/${leader}/root${this.path}/dev/shm`, [])
    );
  }
}

const NAMED = ["hosts", "resolv.conf"] as const;

function hasOnly(directory: string, names: readonly string[]): boolean {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    // What is removed is a device in its place.
    const isKnown = (each: Dirent) =>
      names.includes(each.name) && (each.isFile() || each.isDirectory());
    return entries.length === names.length && entries.every(isKnown);
  } catch {
    return false;
  }
}
