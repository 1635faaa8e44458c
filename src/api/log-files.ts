/**
 * Pure: where the output of a run is kept: NAMESPACE_POD_UID_CONTAINER_N.log. One directory holds
 * all of it: to make one for each pod would cost as much as to start a short process.
 */
import type { Pod } from "./generated/core.ts";

/** The most that file systems take for one name. */
const LONGEST_NAME = 255;
/** Of the names that lie beside a log. */
const LONGEST_ENDING = ".message".length;

/** No part of the name has an underscore in it. */
export function podUidOf(file: string): string {
  return file.split("_")[2] ?? "";
}

/** Below the directory of all logs. */
export function logFile({ metadata }: Pod, container: string, attempt: number): string {
  const { namespace = "", name = "", uid = "" } = metadata;
  const end = `_${uid}_${container}_${attempt}`;
  const room = LONGEST_NAME - namespace.length - 1 - end.length - LONGEST_ENDING;
  return `${namespace}_${name.slice(0, room)}${end}.log`;
}

/** What a container says of its end lies beside its log. */
export function messageFile(log: string): string {
  return `${log.slice(0, -".log".length)}.message`;
}

/** On a pod: "true" keeps what its processes write to stderr in a file of its own. */
export const SPLIT_OUTPUT = "tallyjob.io/split-output";

export function hasSplitOutput({ metadata }: Pod): boolean {
  return metadata.annotations?.[SPLIT_OUTPUT] === "true";
}

/** What a process wrote to stderr, where that is kept apart, lies beside its log. */
export function errorFile(log: string): string {
  return `${log.slice(0, -".log".length)}.stderr`;
}

/** The marks lie beside the log they belong to. */
export function marksFile(log: string): string {
  return `${log.slice(0, -".log".length)}.marks`;
}
