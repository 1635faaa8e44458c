/**
 * The index of its Job that a pod works on. It is read from an annotation and also shown as a
 * label.
 */
import type { KubeObject } from "./object.ts";

export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

export function completionIndexOf({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const index = Number(text);
  return Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}
