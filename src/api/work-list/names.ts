/** Pure: annotations, labels and other names of runs; docs/work-lists.md explains them. */

/** On a Job: the ConfigMap that has its list, or "secret/NAME". */
export const WORK_LIST = "tallyjob.io/work-list";
/** On a Job: by container, the parameters whose values are further arguments, as JSON. */
export const PER_COMPLETION_ARGS = "tallyjob.io/per-completion-args";
/** On a Job: "soon" lets running pods finish when too many indexes have failed. */
export const HALT = "tallyjob.io/halt";
/** On a Job: which finished pods are kept. */
export const KEEP_PODS = "tallyjob.io/keep-pods";
/** On a Job: the delay after the first failure, and the longest delay. */
export const BACKOFF_BASE = "tallyjob.io/backoff-base";
export const BACKOFF_CAP = "tallyjob.io/backoff-cap";
/** On a Job: indexes that are not run, because they succeeded before. */
export const COMPLETED_INDEXES = "tallyjob.io/completed-indexes";
/** On a Job: indexes that are not run, because they failed before. */
export const FAILED_INDEXES = "tallyjob.io/failed-indexes";
/** On a Job: how many indexes had succeeded before it was created. */
export const DONE_BEFORE = "tallyjob.io/done-before";
/** On a Job: how many items had failed before. They do not count against its limit. */
export const FAILED_BEFORE = "tallyjob.io/failed-before";
/** On a Job: indexes to run again. */
export const RERUN_INDEXES = "tallyjob.io/rerun-indexes";
/** On a Job: "finish" lets running pods finish when its parallelism is lowered. */
export const SURPLUS_PODS = "tallyjob.io/surplus-pods";
/** On a Job: whether other indexes may overtake one that waits after a failure. */
export const BACKOFF_ORDER = "tallyjob.io/backoff-order";
/** On a Job: it is paused; the value is its parallelism before. */
export const PAUSED = "tallyjob.io/paused";
/** On a pod: the name of its item. */
export const ITEM = "tallyjob.io/item";

/** The variable that every pod of an Indexed Job has. */
export const COMPLETION_INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
/** The image of pods that run the programs of this machine. */
export const HOST_IMAGE = "host";
/** The container that runs the command. */
export const CONTAINER = "main";

/** On Jobs of a cluster, a label: the name of their run. */
export const RUN = "tallyjob.io/run";
/** On a Job that retries items of another Job: their indexes in that Job. */
export const RETRIED_INDEXES = "tallyjob.io/retried-indexes";

/** The default of spec.managedBy for `tally controller`. */
export const TALLY_MANAGER = "tallyjob.io/job-controller";
/** The Lease for leader election among several of them. */
export const CONTROLLER_LEASE = "tallyjob-controller";
/** On that Lease: the managedBy of its Jobs, and their namespace if it manages only one. */
export const MANAGED_BY = "tallyjob.io/managed-by";
export const MANAGED_NAMESPACE = "tallyjob.io/managed-namespace";
