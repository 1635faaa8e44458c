/** Pure: the names and limits that Jobs, their pods and this controller share. */

export { TRACKING_FINALIZER } from "../../api/job-tracking.ts";

export const INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
export const INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
export const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** Tally's own, on Jobs; docs/job-annotations.md says what they ask for. */
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
