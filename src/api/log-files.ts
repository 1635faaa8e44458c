/**
 * Pure: the names of log files: NAMESPACE_POD_UID_CONTAINER_N.log. All of them are in one
 * directory: creating one for each pod would cost as much as starting a short process.
 */
import type { Pod } from "./generated/core.ts";

/** The limit of file systems for a name. */
const LONGEST_NAME = 255;
/** The longest ending of the files beside a log. */
const LONGEST_ENDING = ".message".length;

/** The parts of the name contain no underscore. */
export function podUidOf(file: string): string {
  return file.split("_")[2] ?? "";
}

/** Relative to the directory of logs. */
export function logFile({ metadata }: Pod, container: string, attempt: number): string {
  const { namespace = "", name = "", uid = "" } = metadata;
  const end = `_${uid}_${container}_${attempt}`;
  const room = LONGEST_NAME - namespace.length - 1 - end.length - LONGEST_ENDING;
  return `${namespace}_${name.slice(0, room)}${end}.log`;
}

/** The file with the termination message, beside the log. */
export function messageFile(log: string): string {
  return `${log.slice(0, -".log".length)}.message`;
}

/** On a pod: "true" stores stderr in a separate file. */
export const SPLIT_OUTPUT = "tallyjob.io/split-output";

export function hasSplitOutput({ metadata }: Pod): boolean {
  return metadata.annotations?.[SPLIT_OUTPUT] === "true";
}

/** The file with stderr, if it is separate, beside the log. */
export function errorFile(log: string): string {
  return `${log.slice(0, -".log".length)}.stderr`;
}

/** The file with marks, beside the log. */
export function marksFile(log: string): string {
  return `${log.slice(0, -".log".length)}.marks`;
}
