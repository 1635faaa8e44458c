/**
 * Pure: a run for a cluster. If a controller of Tally manages its Job, the controller gives each
 * pod its item; otherwise a script does. Finished pods are kept, because only they have the logs.
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

/** Which controller manages the Job. */
export type RunManager =
  /** The server is a Tally server. */
  | { readonly kind: "server" }
  /** `tally controller`; the name is that of spec.managedBy. */
  | { readonly kind: "controller"; readonly name: string }
  /** Kubernetes' own, which does not support lists. */
  | { readonly kind: "kubernetes" };

export interface ClusterRun {
  readonly job: Job;
  /** Objects to create before the Job, and to give to it then. */
  readonly before: readonly KubeObject[];
  /** Objects to create after the Job, owned by it. */
  readonly support: (past?: ListPast) => readonly KubeObject[];
  readonly list?: WorkList;
  readonly notices: readonly string[];
}

/** Throws a UsageError for a request that cannot be run, or not on this cluster. */
export function composeClusterRun(request: RunRequest, manager: RunManager): ClusterRun {
  return manager.kind === "kubernetes" ? withScript(request) : withList(request, manager);
}

/** Labels and annotates the Job as a run. */
export function asRun(job: Job, manager: RunManager): Job {
  const { metadata, spec } = job;
  const { [SURPLUS_PODS]: surplus = "finish", ...annotations } = metadata.annotations ?? {};
  const ours = manager.kind === "kubernetes" ? {} : { [SURPLUS_PODS]: surplus };
  return {
    ...job,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [RUN]: metadata.name ?? "" },
      annotations: { ...ours, ...annotations },
    },
    spec: { ...spec, ...(manager.kind === "controller" ? { managedBy: manager.name } : {}) },
  };
}

function withList(request: RunRequest, manager: RunManager): ClusterRun {
  const annotations = { [BACKOFF_ORDER]: "overtake" };
  const { job, support, list, notices } = composeRun({ ...request, annotations });
  return {
    job: asRun(withAllPods(job), manager),
    before: [],
    support,
    ...(list ? { list } : {}),
    notices,
  };
}

function withAllPods(job: Job): Job {
  const { [KEEP_PODS]: _kept, ...annotations } = job.metadata.annotations ?? {};
  return { ...job, metadata: { ...job.metadata, annotations } };
}

function withScript(request: RunRequest): ClusterRun {
  refuseUnknown(request);
  const { job, script, listObjects, list, notices } = composeScripted(
    request,
    () => request.suffix,
  );
  return {
    job: asRun(job, { kind: "kubernetes" }),
    before: script ? [script, ...listObjects] : [],
    support: () => [],
    ...(list ? { list } : {}),
    notices,
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
