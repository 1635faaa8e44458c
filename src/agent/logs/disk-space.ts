/** Tells when the disk that holds the logs is full, and when it no longer is. */
import { statfsSync } from "node:fs";

/** Some file systems never give away the very last block. */
const FULL_BELOW_BYTES = 1024 * 1024;

export type FreeBytes = (directory: string) => number;

export class DiskSpace {
  private isFull = false;

  constructor(
    private readonly directory: string,
    private readonly onChange: (isFull: boolean) => void,
    private readonly freeBytes: FreeBytes = freeBytesOf,
  ) {}

  check(): void {
    const isFull = this.freeBytes(this.directory) < FULL_BELOW_BYTES;
    if (isFull === this.isFull) return;
    this.isFull = isFull;
    this.onChange(isFull);
  }
}

/** A directory that is gone has other troubles than a full disk. */
function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
