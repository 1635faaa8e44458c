/**
 * Where the volumes of pods are on this host, and how they go:
 *
 *     DIRECTORY/POD-UID/VOLUME    a directory, one of memory, or a link to one of memory
 */
import { readdirSync } from "node:fs";
import { chmod, lstat, mkdir, readlink, rmdir, symlink } from "node:fs/promises";
import path from "node:path";
import { removeTree } from "../../base/remove-tree.ts";
import { type Mounter, mountsBelow } from "./mounter.ts";

/** Memory that anyone may have without mounting it. */
const SHARED_MEMORY = "/dev/shm";
const IN_SHARED_MEMORY = /^\/dev\/shm\/tally-[0-9a-z-]+\/data$/;

export class VolumeDirectories {
  constructor(
    private readonly root: string,
    private readonly mounter: Mounter,
  ) {}

  of(podUid: string, volume: string): string {
    return path.join(this.root, podUid, volume);
  }

  /** Anyone may write to it who can reach it: who can is decided by where it is mounted. */
  async ensure(podUid: string, volume: string): Promise<string> {
    const directory = this.of(podUid, volume);
    await mkdir(path.dirname(directory), { recursive: true, mode: 0o700 });
    await mkdir(directory).then(
      () => chmod(directory, 0o777),
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
    return directory;
  }

  /** A directory of memory; with `lack` one that is not quite what was asked for. */
  async ensureMemory(
    podUid: string,
    volume: string,
    sizeBytes: number | undefined,
  ): Promise<{ readonly path: string; readonly lack?: string }> {
    const wanted = this.of(podUid, volume);
    const known = await readlink(wanted).catch(() => undefined);
    if (known !== undefined) return { path: known };
    const directory = await this.ensure(podUid, volume);
    if ((await mountsBelow(directory)).length > 0) return { path: directory };
    const lack = await this.mounter.mountMemory(directory, sizeBytes);
    if (lack === undefined) {
      await chmod(directory, 0o777);
      return { path: directory };
    }
    // Everybody may look into shared memory, but not into what is inside a directory of ours.
    const shared = path.join(SHARED_MEMORY, `tally-${podUid}-${volume}`, "data");
    try {
      await mkdir(path.dirname(shared), { mode: 0o700 });
      await mkdir(shared);
      await chmod(shared, 0o777);
      await rmdir(directory);
      await symlink(shared, directory);
      return { path: shared, lack };
    } catch {
      return { path: directory, lack };
    }
  }

  /** What was in memory is lost, as when a machine is switched off. */
  async unmountAll(directory = this.root): Promise<void> {
    for (const place of await mountsBelow(directory)) await this.mounter.unmount(place);
  }

  async remove(podUid: string): Promise<void> {
    const directory = path.join(this.root, podUid);
    await this.unmountAll(directory);
    for (const name of await this.volumesOf(directory)) {
      const target = await readlink(path.join(directory, name)).catch(() => "");
      if (!IN_SHARED_MEMORY.test(target)) continue;
      await removeTree(path.dirname(target));
    }
    await removeTree(directory);
  }

  private async volumesOf(directory: string): Promise<readonly string[]> {
    const isThere = await lstat(directory).catch(() => undefined);
    return isThere === undefined ? [] : readdirSync(directory);
  }

  /** Pods that have, or had, volumes here. */
  list(): readonly string[] {
    try {
      return readdirSync(this.root);
    } catch {
      return [];
    }
  }
}
