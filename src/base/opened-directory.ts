/**
 * A directory that is kept open, to find out whether it is still where it was: it may be deleted,
 * renamed or unmounted under us. As long as it is open no other directory has its number.
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
