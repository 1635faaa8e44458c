/**
 * Keeps a directory open to detect that it was deleted, renamed or unmounted. While it is open, no
 * other directory can have its inode number.
 */
import { closeSync, fstatSync, openSync, statSync } from "node:fs";

export class OpenedDirectory {
  private readonly descriptor: number;

  constructor(readonly path: string) {
    this.descriptor = openSync(path, "r");
  }

  get isGone(): boolean {
    try {
      const [opened, found] = [fstatSync(this.descriptor), statSync(this.path)];
      return opened.ino !== found.ino || opened.dev !== found.dev;
    } catch {
      return true;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
