/** Pure: the volumes of a container, as a table for confine.c. */

export interface RootMount {
  /** See `mount_all` in confine.c. */
  readonly flags: string;
  /** On the host. Absent: the target is made, and nothing is mounted. */
  readonly source?: string;
  /** As the container names it. */
  readonly target: string;
  /** What the source must be when it is mounted. */
  readonly identity?: { readonly device: number; readonly inode: number };
}

export function formatRootMounts(mounts: readonly RootMount[]): string {
  return mounts.map(formatMount).join("");
}

function formatMount({ flags, source = "", target, identity }: RootMount): string {
  const expected = identity === undefined ? "" : `${identity.device}:${identity.inode}`;
  const fields = [flags, source, target.startsWith("/") ? target : `/${target}`, expected];
  if (fields.some((field) => field.includes("\0"))) throw new Error("a path has a NUL character");
  return fields.map((field) => `${field}\0`).join("");
}
