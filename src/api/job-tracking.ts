/** Pure: the finalizer by which a Job ensures that each of its pods is counted. */
import type { KubeObject } from "./object.ts";

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

export function isTracked({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}
