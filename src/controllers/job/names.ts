/** Pure: names and limits shared by Jobs, their pods and this controller. */

export { TRACKING_FINALIZER } from "../../api/job-tracking.ts";

export const INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
export const INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
export const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** Tally's own annotations on Jobs, described in docs/job-annotations.md. */
export {
  BACKOFF_BASE,
  BACKOFF_CAP,
  BACKOFF_ORDER,
  COMPLETED_INDEXES,
  FAILED_INDEXES,
  KEEP_PODS,
  RERUN_INDEXES,
  SURPLUS_PODS,
} from "../../api/work-list/names.ts";
/**
 * Written by this controller if finished pods are not kept: the failures since the last success.
 */
export const FAILURES_NOTE = "tallyjob.io/failures";
/** On a pod: it is a re-run of an index that has already ended. */
export const RERUN = "tallyjob.io/rerun";

/** The value of spec.managedBy that means the controller built into Kubernetes. */
export const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** Pods created or deleted in one sync. The next sync follows immediately and handles the rest. */
export const MAX_POD_CHANGES = 500;
/** The maximum number of finished pods listed in one status, which keeps their UIDs below 20 KB. */
export const MAX_UNCOUNTED_PODS = 500;
/** The maximum length of the prefix of a generated name. */
export const MAX_GENERATE_NAME = 58;
