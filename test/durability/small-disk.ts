/**
 * A file system of a few megabytes, to be filled. Only root may mount, and not in every container.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  /** Whether it could be mounted. */
  readonly isMounted: boolean;
  /** Fills the remaining space, to the last byte. */
  fill(): void;
  makeRoom(): void;
  dispose(): void;
}

export function smallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "tally-small-disk-"));
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path];
  const isMounted = spawnSync("mount", options).status === 0;
  const ballast = join(path, "ballast");
  return {
    path,
    isMounted,
    fill: () => fillUp(ballast),
    makeRoom: () => rmSync(ballast, { force: true }),
    dispose: () => {
      // A lazy unmount, because processes that outlive the server may still be about to exit.
      if (isMounted) execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function fillUp(file: string): void {
  const opened = openSync(file, "a");
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(opened, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(opened);
  }
}
