/** Pure: where the output of a run is kept: NAMESPACE_POD_UID/CONTAINER/N.log. */
import type { Pod } from "../../api/generated/core.ts";

/** The most that file systems take for one name. */
const LONGEST_NAME = 255;

/** A pod as its directory names it. */
export function podDirectory({ metadata }: Pod): string {
  const { namespace = "", name = "", uid = "" } = metadata;
  const room = LONGEST_NAME - namespace.length - uid.length - 2;
  return `${namespace}_${name.slice(0, room)}_${uid}`;
}

/** No part of the name has an underscore in it. */
export function podUidOf(podDirectory: string): string {
  return podDirectory.slice(podDirectory.lastIndexOf("_") + 1);
}

/** Below the directory of all logs. */
export function logFile(pod: Pod, container: string, attempt: number): string {
  return `${podDirectory(pod)}/${container}/${attempt}.log`;
}

/** The marks lie beside the log they belong to. */
export function marksFile(log: string): string {
  return `${log.slice(0, -".log".length)}.marks`;
}
