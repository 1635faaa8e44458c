/** Recorded cases that Tally answers otherwise, each with the reason. */

interface Differences {
  readonly [suite: string]: { readonly [name: string]: string };
}

const NO_FIELD_OWNERS =
  "Kubernetes stores a new revision because the owners of fields changed. Tally does not track " +
  "owners yet, so an update that changes nothing else stays without a revision.";

/** On purpose. docs/compatibility.md lists them for users. */
export const KEPT_DIFFERENCES: Differences = {
  "job-update": {
    "completions and parallelism null are both defaulted to 1 again": NO_FIELD_OWNERS,
    "generation and creationTimestamp of a patch are ignored": NO_FIELD_OWNERS,
  },
  delete: {
    "finalizers: deletionTimestamp cannot be removed or changed": NO_FIELD_OWNERS,
  },
  table: {
    "replicasets, deployments, daemonsets":
      "Creating one is answered with a Warning: no controller here looks after it.",
  },
};
