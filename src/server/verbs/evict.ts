/** POST of an eviction: a deletion that first checks the pod's disruption budget. */
import { isEqual } from "../../api/equal.ts";
import { badRequest, notFound } from "../../api/errors.ts";
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
import { checkPreconditions, deleteObject } from "./delete.ts";
import { type DeleteOptions, isDryRun } from "./delete-options.ts";
import { setCondition } from "./pod-condition.ts";

const BUDGETS = "poddisruptionbudgets.policy";

export function evict(
  server: ServerContext,
  namespace: string,
  name: string,
  eviction: KubeObject & { readonly deleteOptions?: DeleteOptions },
  options: WriteOptions,
): void {
  if (eviction.metadata.name !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const asked = eviction.deleteOptions ?? {};
  const dryRun = options.dryRun || isDryRun(asked);
  const pod = server.store.get(keyOf(podKind, namespace, name)) as Pod | undefined;
  if (!pod) throw notFound(groupResource(podKind), name);
  const budgets = server.store.list(BUDGETS, { namespace }).items as readonly PodDisruptionBudget[];
  const decision = decideEviction(pod, budgets, timestamp(server.clock));
  if (decision.kind === "refused") throw decision.error;
  checkPreconditions(podKind, pod, asked);
  if (dryRun) return;
  if (decision.kind === "counted") {
    const next = draftOf({ ...decision.budget, status: decision.status }) as Draft<KubeObject>;
    const budgetName = decision.budget.metadata.name ?? "";
    const key = { resource: BUDGETS, namespace, name: budgetName };
    server.store.update(key, next, decision.budget.metadata.resourceVersion ?? "");
  }
  if (server.gates?.PodDisruptionConditions !== false) markDisrupted(server, pod);
  const { preconditions: _checked, ...deletion } = asked;
  deleteObject(server, podKind, namespace, name, deletion);
}

/** Set before the deletion, so that controllers can distinguish the disruption from a failure. */
function markDisrupted(server: ServerContext, pod: Pod): void {
  const next = draftOf(pod);
  const condition: PodCondition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(server.clock),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  next.status.conditions = setCondition(pod.status.conditions ?? [], condition);
  if (isEqual(next, pod)) return;
  const { namespace = "", name = "", resourceVersion = "" } = pod.metadata;
  server.store.update(keyOf(podKind, namespace, name), next as Draft<KubeObject>, resourceVersion);
}
