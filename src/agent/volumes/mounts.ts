/** From the mounts of a container to what its runtime mounts, or in kubelet's words why not. */
import { statSync } from "node:fs";
import path from "node:path";
import { quote } from "../../api/finding.ts";
import type { Container, VolumeMount } from "../../api/generated/core.ts";
import { expand } from "../environment/expansion.ts";
import { type ContainerProblem, configProblem, type Variables } from "../environment/variable.ts";
import type { Mount } from "../runtimes/runtime.ts";
import { ensurePart } from "./sub-path.ts";

/** A volume that is there. */
export interface PreparedVolume {
  readonly path: string;
  /** Whatever a mount says. */
  readonly isReadOnly: boolean;
}

export type ComposedMounts =
  | { readonly mounts: readonly Mount[] }
  | { readonly problem: ContainerProblem };

export function composeMounts(
  { name: container, volumeMounts = [] }: Container,
  variables: Variables,
  volumes: ReadonlyMap<string, PreparedVolume>,
): ComposedMounts {
  const mounts: Mount[] = [];
  for (const mount of volumeMounts) {
    const { name } = mount;
    const volume = volumes.get(name);
    if (volume === undefined) {
      const what = `cannot find volume ${quote(name)} to mount into container ${quote(container)}`;
      return configProblem(what);
    }
    if (mount.recursiveReadOnly === "Enabled") return configProblem(notRecursive(name));
    const part = partOf(mount, variables);
    if ("problem" in part) return configProblem(part.problem);
    try {
      mounts.push({ ...optionsOf(mount, volume), ...sourceOf(volume, part.subPath) });
    } catch {
      // What was in the way would tell of the host's files.
      const what = `volumeMount ${quote(name)} of container ${quote(container)}`;
      return configProblem(`failed to prepare subPath for ${what}`);
    }
  }
  return { mounts: mounts.sort((one, other) => depthOf(one) - depthOf(other)) };
}

/** An old mount(8) takes the option and mounts it writable: it is not to be trusted with it. */
function notRecursive(volume: string): string {
  const what = `volume ${quote(volume)} requested recursive read-only mode`;
  const why = "but it is not supported by the runtime";
  return `failed to resolve recursive read-only mode: ${what}, ${why}`;
}

type Part = { readonly subPath: string } | { readonly problem: string };

function partOf({ subPath = "", subPathExpr = "" }: VolumeMount, variables: Variables): Part {
  if (subPathExpr === "") return checked(subPath);
  const missing = new Set<string>();
  const get = (key: string) => {
    const value = variables.get(key);
    if (value === undefined || value === "") missing.add(key);
    return value;
  };
  const expanded = expand(subPathExpr, { get });
  if (missing.size > 0) return { problem: `missing value for ${[...missing].sort().join(", ")}` };
  return checked(expanded);
}

function checked(subPath: string): Part {
  if (path.isAbsolute(subPath)) {
    return { problem: `error SubPath \`${subPath}\` must not be an absolute path` };
  }
  if (subPath.split("/").includes("..")) {
    return { problem: `unable to provision SubPath \`${subPath}\`: must not contain '..'` };
  }
  return { subPath };
}

function sourceOf(volume: PreparedVolume, subPath: string): Pick<Mount, "source" | "identity"> {
  if (subPath === "") return { source: volume.path };
  const mode = statSync(volume.path).mode & 0o7777;
  const { path: source, identity } = ensurePart(volume.path, subPath, mode);
  return { source, identity };
}

function optionsOf(
  { mountPath, readOnly, mountPropagation }: VolumeMount,
  volume: PreparedVolume,
): Omit<Mount, "source"> {
  const isReadOnly = readOnly === true || volume.isReadOnly;
  const isShared = mountPropagation === "HostToContainer" || mountPropagation === "Bidirectional";
  return {
    mountPath,
    isReadOnly,
    ...(isShared ? { propagation: mountPropagation } : {}),
  };
}

/** What is mounted into another mount comes after it. */
function depthOf({ mountPath }: Mount): number {
  return path.posix.normalize(mountPath).split("/").filter(Boolean).length;
}
