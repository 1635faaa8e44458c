/** The file of records: appended to, and rewritten when most of it is about what is forgotten. */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { formatRun, type RecordedRun, readRecords } from "./records.ts";

export class RecordFile {
  private file: number;
  private bytes: number;
  private kept: number;

  constructor(private readonly path: string) {
    this.file = openSync(path, "a+", PRIVATE);
    this.bytes = readFileSync(path).length;
    this.kept = this.bytes;
  }

  read(): readonly RecordedRun[] {
    return readRecords(readFileSync(this.path, "utf8"));
  }

  /** Throws what the disk says: nothing may begin that is not on record. */
  append(lines: string): void {
    const before = this.bytes;
    const bytes = Buffer.from(lines);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(this.file, bytes, written);
    } catch (error) {
      // Half a line would swallow the next one.
      ftruncateSync(this.file, before);
      throw error;
    }
    this.bytes = before + bytes.length;
  }

  get isMostlyForgotten(): boolean {
    return this.bytes > SMALL_BYTES && this.bytes > GROWTH * this.kept;
  }

  /** All at once or not at all: another file takes the place of this one. */
  rewrite(runs: Iterable<RecordedRun>): void {
    const fresh = `${this.path}.new`;
    let text = "";
    for (const run of runs) text += formatRun(run);
    writeFileSync(fresh, text, { mode: PRIVATE });
    renameSync(fresh, this.path);
    closeSync(this.file);
    this.file = openSync(this.path, "a", PRIVATE);
    this.bytes = Buffer.byteLength(text);
    this.kept = this.bytes;
  }

  close(): void {
    closeSync(this.file);
  }
}

const PRIVATE = 0o600;
const SMALL_BYTES = 1024 * 1024;
const GROWTH = 4;
