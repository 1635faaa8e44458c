/** Pure: the names and limits that Jobs, their pods and this controller share. */

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
/** A pod carries its index as an annotation, which is read, and as a label, which is shown. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
export const INDEX_FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
export const INDEX_IGNORED_FAILURE_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";
export const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** What spec.managedBy may say and still mean the controller that Kubernetes comes with. */
export const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** Pods created or deleted in one sync; the rest follows at once in the next. */
export const MAX_POD_CHANGES = 500;
/** Finished pods that one status names, so that their UIDs stay below 20 KB. */
export const MAX_UNCOUNTED_PODS = 500;
/** Of a generated name that many characters are its own. */
export const MAX_GENERATE_NAME = 58;
