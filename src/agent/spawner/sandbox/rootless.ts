/**
 * What is different where the server is not root. A sandbox then begins with a user namespace, in
 * which the server's user has the rights over the other namespaces and over nothing else; the
 * command has a second one in that, where it is itself again and has none of these rights.
 *
 * The kernel shows no part of a file system without what is mounted below it: a root is put
 * together of the folders of the host's root, each with a layer of its own. A folder with other
 * mounts below it is the host's own, as a process would have it.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { filesOf, type HostMount, isApart, isWithin } from "./host-mounts.ts";

export interface RootlessParts {
  /** "etc": copied when something is written to them. */
  readonly layers: readonly Layer[];
  /** "mnt": those of the host. */
  readonly shared: readonly string[];
  /** "run": there, with nothing in them. */
  readonly empty: readonly string[];
  readonly links: readonly (readonly [name: string, target: string])[];
}

export interface Layer {
  readonly name: string;
  readonly mode: number;
}

export function findParts(mounts: readonly HostMount[]): RootlessParts {
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

/** Begins a sandbox. */
export const OWN_USERS = ["--user", "--map-root-user"] as const;

/** Enters one that was begun so. */
export const THOSE_USERS = ["--user", "--preserve-credentials"] as const;

/** Becomes oneself again. */
export function asOneself({ uid, gid }: { readonly uid: number; readonly gid: number }) {
  return ["--user", `--map-user=${uid}`, `--map-group=${gid}`] as const;
}

/** Why no user but root makes namespaces here; undefined where nothing is known of. */
export function findRootlessProblem(): string | undefined {
  const isZero = (file: string) => read(file)?.trim() === "0";
  if (!existsSync("/proc/self/ns/user") || isZero("/proc/sys/user/max_user_namespaces"))
    return "it has no user namespaces";
  if (isZero("/proc/sys/kernel/unprivileged_userns_clone")) {
    return "kernel.unprivileged_userns_clone is 0";
  }
  if (read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")?.trim() === "1") {
    return "kernel.apparmor_restrict_unprivileged_userns is 1";
  }
  return undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
