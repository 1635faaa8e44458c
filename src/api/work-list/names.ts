/** Pure: the names that work lists and Kubernetes agree on; docs/work-lists.md explains ours. */

/** On a Job: the ConfigMap that has its list, or "secret/NAME". */
export const WORK_LIST = "tallyjob.io/work-list";
/** On a Job: by container, the parameters whose values are further arguments, as JSON. */
export const PER_COMPLETION_ARGS = "tallyjob.io/per-completion-args";
/** On a Job: "soon" lets what is running finish when too many indexes have failed. */
export const HALT = "tallyjob.io/halt";
/** On a Job: which finished pods stay. */
export const KEEP_PODS = "tallyjob.io/keep-pods";
/** On a Job: the wait after a first failure, and the longest. */
export const BACKOFF_BASE = "tallyjob.io/backoff-base";
export const BACKOFF_CAP = "tallyjob.io/backoff-cap";
/** On a Job: indexes that are not run, because they have been. */
export const COMPLETED_INDEXES = "tallyjob.io/completed-indexes";
/** On a Job: indexes that are not run, because they failed before. */
export const FAILED_INDEXES = "tallyjob.io/failed-indexes";
/** On a Job: how many indexes had succeeded before it began. */
export const DONE_BEFORE = "tallyjob.io/done-before";
/** How many items had failed before and are left so: they do not count against its limit. */
export const FAILED_BEFORE = "tallyjob.io/failed-before";
/** On a Job: indexes to run once more. */
export const RERUN_INDEXES = "tallyjob.io/rerun-indexes";
/** On a Job: "finish" leaves pods that have begun when it is to run fewer. */
export const SURPLUS_PODS = "tallyjob.io/surplus-pods";
/** On a Job: whether indexes that wait after a failure hold their place. */
export const BACKOFF_ORDER = "tallyjob.io/backoff-order";
/** On a Job: it is paused, and this many ran at a time before. */
export const PAUSED = "tallyjob.io/paused";
/** On a pod: what it works on, for people. */
export const ITEM = "tallyjob.io/item";

/** The variable that every pod of an Indexed Job has. */
export const COMPLETION_INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
/** The image of pods that run the programs of this machine. */
export const HOST_IMAGE = "host";
/** The container that runs the command. */
export const CONTAINER = "main";

/** On Jobs of a cluster, a label: the run that they are part of. */
export const RUN = "tallyjob.io/run";
/** On a Job that runs some items of another one again: their indexes there, in its own order. */
export const RETRIED_INDEXES = "tallyjob.io/retried-indexes";

/** The controller that `tally controller` is unless told otherwise, as spec.managedBy has it. */
export const TALLY_MANAGER = "tallyjob.io/job-controller";
/** The Lease by which several of them agree on who leads. */
export const CONTROLLER_LEASE = "tallyjob-controller";
/** On that Lease: whose Jobs it looks after, and of which namespace, where that is only one. */
export const MANAGED_BY = "tallyjob.io/managed-by";
export const MANAGED_NAMESPACE = "tallyjob.io/managed-namespace";
