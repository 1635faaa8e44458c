/** POST of an eviction: a deletion that asks the pod's disruption budget first. */
import { conflict, notFound } from "../../api/errors.ts";
import type { Pod, PodCondition } from "../../api/generated/core.ts";
import type { PodDisruptionBudget } from "../../api/generated/policy.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { podKind } from "../../kinds/pod/kind.ts";
import { decideEviction } from "../../kinds/poddisruptionbudget/eviction.ts";
import {
  groupResource,
  keyOf,
  type ServerContext,
  timestamp,
  type WriteOptions,
} from "../context.ts";
import { deleteObject } from "./delete.ts";
import { type DeleteOptions, isDryRun } from "./delete-options.ts";

const BUDGETS = "poddisruptionbudgets.policy";

export function evict(
  server: ServerContext,
  namespace: string,
  name: string,
  eviction: { readonly deleteOptions?: DeleteOptions },
  options: WriteOptions,
): void {
  const asked = eviction.deleteOptions ?? {};
  const dryRun = options.dryRun || isDryRun(asked);
  const pod = server.store.get(keyOf(podKind, namespace, name)) as Pod | undefined;
  if (!pod) throw notFound(groupResource(podKind), name);
  matchPreconditions(pod, asked);
  const budgets = server.store.list(BUDGETS, { namespace }).items as readonly PodDisruptionBudget[];
  const decision = decideEviction(pod, budgets, timestamp(server.clock));
  if (decision.kind === "refused") throw decision.error;
  if (dryRun) return;
  if (decision.kind === "counted") {
    const next = draftOf({ ...decision.budget, status: decision.status }) as Draft<KubeObject>;
    const budgetName = decision.budget.metadata.name ?? "";
    const key = { resource: BUDGETS, namespace, name: budgetName };
    server.store.update(key, next, decision.budget.metadata.resourceVersion ?? "");
  }
  if (pod.metadata.deletionTimestamp === undefined) markDisrupted(server, pod);
  const { preconditions: _checked, ...deletion } = asked;
  deleteObject(server, podKind, namespace, name, deletion);
}

function matchPreconditions(pod: Pod, { preconditions = {} }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions;
  const { metadata } = pod;
  const stale =
    (uid !== undefined && uid !== metadata.uid) ||
    (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion);
  if (!stale) return;
  const problem = "the pod does not meet the preconditions of the eviction";
  throw conflict(groupResource(podKind), metadata.name ?? "", problem);
}

/** Said before the deletion, so that whoever counts failures can tell it from one. */
function markDisrupted(server: ServerContext, pod: Pod): void {
  const next = draftOf(pod);
  const condition: Draft<PodCondition> = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(server.clock),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const others = (next.status.conditions ?? []).filter(({ type }) => type !== condition.type);
  next.status.conditions = [...others, condition];
  const { namespace = "", name = "", resourceVersion = "" } = pod.metadata;
  server.store.update(keyOf(podKind, namespace, name), next as Draft<KubeObject>, resourceVersion);
}
