/** Pure: the names and limits that Jobs, their pods and this controller share. */

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
export const INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
export const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** Tally's own, on Jobs; docs/job-annotations.md says what they ask for. */
export const RERUN_INDEXES = "tallyjob.io/rerun-indexes";
export const COMPLETED_INDEXES = "tallyjob.io/completed-indexes";
export const FAILED_INDEXES = "tallyjob.io/failed-indexes";
export const BACKOFF_BASE = "tallyjob.io/backoff-base";
export const BACKOFF_CAP = "tallyjob.io/backoff-cap";
export const KEEP_PODS = "tallyjob.io/keep-pods";
export const SURPLUS_PODS = "tallyjob.io/surplus-pods";
export const BACKOFF_ORDER = "tallyjob.io/backoff-order";
/** Written by this controller: the failures since the last success, where pods do not stay. */
export const FAILURES_NOTE = "tallyjob.io/failures";
/** On a pod: it runs its index once more. */
export const RERUN = "tallyjob.io/rerun";

/** What spec.managedBy may say and still mean the controller that Kubernetes comes with. */
export const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** Pods created or deleted in one sync; the rest follows at once in the next. */
export const MAX_POD_CHANGES = 500;
/** Finished pods that one status names, so that their UIDs stay below 20 KB. */
export const MAX_UNCOUNTED_PODS = 500;
/** Of a generated name that many characters are its own. */
export const MAX_GENERATE_NAME = 58;
