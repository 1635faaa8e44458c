/**
 * Where in a run's root its mounts go. A path of the container is walked part by part, and links
 * are followed as the container would follow them: none may lead a mount out of the root.
 */
import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { isWithin } from "./host-mounts.ts";

export interface RootView {
  /** What the host has mounted and the root does not have. */
  readonly missing: readonly string[];
  /** What is mounted there before, in this order. */
  readonly placed: readonly Placed[];
}

export interface Placed {
  /** As the container names it, without links. */
  readonly path: string;
  /** On the host. */
  readonly source: string;
}

export interface Target {
  /** As the container names it, without links. */
  readonly path: string;
  /** Whether it has to be made in the root. What has to be in a volume is made at once. */
  readonly isMissing: boolean;
}

const MOST_LINKS = 40;

export function findTarget(view: RootView, wanted: string, isFolder: boolean): Target {
  const parts = partsOf(wanted);
  let [path, links, isMissing] = ["/", 0, false];
  while (parts.length > 0) {
    const part = parts.shift() ?? "";
    const next = part === ".." ? dirname(path) : join(path, part);
    const found = part === ".." || isMissing ? "something" : look(view, next);
    if (found === "link") {
      if (++links > MOST_LINKS) throw new Error(`${wanted}: too many levels of symbolic links`);
      const target = readlinkSync(hostPath(view, next).path);
      parts.unshift(...partsOf(target));
      if (posix.isAbsolute(target)) path = "/";
      continue;
    }
    path = next;
    if (found === "something") continue;
    const { path: real, isVolume } = hostPath(view, next);
    if (isVolume) make(real, isFolder || parts.length > 0);
    else isMissing = true;
  }
  return { path, isMissing };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function look(view: RootView, path: string): "link" | "something" | "nothing" {
  const { path: real, isVisible } = hostPath(view, path);
  const stat = isVisible ? lstatSync(real, { throwIfNoEntry: false }) : undefined;
  if (stat === undefined) return "nothing";
  return stat.isSymbolicLink() ? "link" : "something";
}

function make(path: string, isFolder: boolean): void {
  if (isFolder) mkdirSync(path);
  else writeFileSync(path, "", { flag: "wx" });
}

interface HostPath {
  readonly path: string;
  readonly isVolume: boolean;
  readonly isVisible: boolean;
}

/** The root is the host's, but for what is mounted. */
function hostPath({ placed, missing }: RootView, path: string): HostPath {
  const mount = placed.findLast((each) => isWithin(path, each.path));
  if (mount) {
    const rest = path.slice(mount.path.length);
    return { path: join(mount.source, rest), isVolume: true, isVisible: true };
  }
  const isVisible = !missing.some((each) => path !== each && isWithin(path, each));
  return { path, isVolume: false, isVisible };
}
