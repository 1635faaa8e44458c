/**
 * The parts of a root where the server is not root. The kernel then shows no part of a file system
 * without what is mounted below it: a root is put together of the folders of the host's root, each
 * with a layer of its own. A folder with other mounts below it is the host's own, as a process
 * would have it.
 */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { filesOf, type HostMount, isApart, isWithin } from "./host-mounts.ts";
import type { Layer, RootParts } from "./staging.ts";

export function findParts(mounts: readonly HostMount[]): RootParts {
  const parts = {
    layers: [] as Layer[],
    shared: [] as string[],
    empty: [] as string[],
    links: [] as [string, string][],
  };
  const copied = filesOf(mounts);
  for (const entry of readdirSync("/", { withFileTypes: true })) {
    const { name } = entry;
    const path = `/${name}`;
    if (entry.isSymbolicLink()) parts.links.push([name, readlinkSync(path)]);
    if (!entry.isDirectory()) continue;
    const isMounted = mounts.some((mount) => mount.path === path) && !copied.includes(path);
    const hasMounts = mounts.some((mount) => mount.path !== path && isWithin(mount.path, path));
    if (isApart(path) || isMounted) parts.empty.push(name);
    else if (hasMounts) parts.shared.push(name);
    else parts.layers.push({ name, mode: statSync(path).mode & 0o7777 });
  }
  return parts;
}
