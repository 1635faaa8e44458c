/** The metrics about StatefulSets, under the names that KEP-4017 recommends to operators. */
import type { StatefulSet } from "../../api/generated/apps.ts";
import { exponentialBuckets, type Histogram, type Metrics } from "../../base/metrics.ts";
import { replicasOf, startOf } from "./identity.ts";

export interface SetMetrics {
  /** The duration of a reconcile. */
  readonly delay: Histogram;
  show(set: StatefulSet): void;
}

export function setMetrics(metrics: Metrics): SetMetrics {
  const labels = ["namespace", "statefulset"] as const;
  const wanted = metrics.gauge("kube_statefulset_replicas", "Pods a set should have.", labels);
  const present = metrics.gauge("kube_statefulset_status_replicas", "Pods a set has.", labels);
  const start = metrics.gauge("kube_statefulset_ordinals_start", "Its first ordinal.", labels);
  const delay = metrics.histogram(
    "statefulset_reconcile_delay",
    "Duration of the reconciles of StatefulSets in seconds.",
    [],
    exponentialBuckets(0.001, 2, 15),
  );
  return {
    delay,
    show: (set) => {
      const { namespace = "", name = "" } = set.metadata;
      const named = { namespace, statefulset: name };
      wanted.set(named, replicasOf(set));
      present.set(named, set.status.replicas ?? 0);
      start.set(named, startOf(set));
    },
  };
}
