/**
 * Pure: a run for a cluster. Where one of Tally's own controllers looks after its Job, that one
 * gives each pod its item; anywhere else a script does. Finished pods stay: what they printed is
 * nowhere else.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { KubeObject } from "../../api/object.ts";
import { BACKOFF_ORDER, KEEP_PODS, RUN, SURPLUS_PODS } from "../../api/work-list/names.ts";
import type { ListPast } from "../../api/work-list/stored-list.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { composeScripted } from "./compose-manifests.ts";
import { composeRun } from "./compose-run.ts";
import type { RunRequest } from "./run-request.ts";

/** Who looks after the Job. */
export type RunManager =
  /** The server itself is Tally's. */
  | { readonly kind: "server" }
  /** `tally controller`, by the name that spec.managedBy has. */
  | { readonly kind: "controller"; readonly name: string }
  /** Kubernetes' own, which knows nothing of lists. */
  | { readonly kind: "kubernetes" };

export interface ClusterRun {
  readonly job: Job;
  /** To be created before it, and then to be owned by it. */
  readonly before: readonly KubeObject[];
  /** To be created after it, owned by it. */
  readonly support: (past?: ListPast) => readonly KubeObject[];
  readonly list?: WorkList;
  readonly said: readonly string[];
}

/** Throws a UsageError for what cannot be run, or not there. */
export function composeClusterRun(request: RunRequest, manager: RunManager): ClusterRun {
  return manager.kind === "kubernetes" ? withScript(request) : withList(request, manager);
}

/** The Job of a run, as others find it. */
export function asRun(job: Job, manager: RunManager): Job {
  const { metadata, spec } = job;
  const { [SURPLUS_PODS]: surplus = "finish", ...annotations } = metadata.annotations ?? {};
  const wishes = manager.kind === "kubernetes" ? {} : { [SURPLUS_PODS]: surplus };
  return {
    ...job,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [RUN]: metadata.name ?? "" },
      annotations: { ...wishes, ...annotations },
    },
    spec: { ...spec, ...(manager.kind === "controller" ? { managedBy: manager.name } : {}) },
  };
}

function withList(request: RunRequest, manager: RunManager): ClusterRun {
  const annotations = { [BACKOFF_ORDER]: "overtake" };
  const { job, support, list, said } = composeRun({ ...request, annotations });
  return {
    job: asRun(withAllPods(job), manager),
    before: [],
    support,
    ...(list ? { list } : {}),
    said,
  };
}

function withAllPods(job: Job): Job {
  const { [KEEP_PODS]: _kept, ...annotations } = job.metadata.annotations ?? {};
  return { ...job, metadata: { ...job.metadata, annotations } };
}

function withScript(request: RunRequest): ClusterRun {
  refuseUnknown(request);
  const { job, script, listObjects, list, said } = composeScripted(request, () => request.suffix);
  return {
    job: asRun(job, { kind: "kubernetes" }),
    before: script ? [script, ...listObjects] : [],
    support: () => [],
    ...(list ? { list } : {}),
    said,
  };
}

function refuseUnknown({ failure = {} }: RunRequest): void {
  const asked = [
    ...(failure.backoff ? ["--backoff"] : []),
    ...(failure.halt === "soon" ? ["--halt soon"] : []),
  ];
  if (asked.length === 0) return;
  throw new UsageError(
    `${asked.join(" and ")} is nothing that Kubernetes' own controller knows: install ` +
      "tally controller on the cluster, or leave it out",
  );
}
