/**
 * Updates the status of PodDisruptionBudgets, which limits evictions. Also removes the
 * DisruptionTarget condition from pods that were marked for disruption but not deleted.
 *
 * Reading order: this file, budget-status (the arithmetic), expected-scale.
 */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { PodDisruptionBudget } from "../../api/generated/policy.ts";
import { podDisruptionBudgets, pods, statefulSets } from "../../api/resources.ts";
import { selects } from "../../api/selectors/label-selector.ts";
import { formatTime, millisecondsOf } from "../../api/time.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import { isNotFound } from "../../client/find.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { type EventRecorder, openRecorder } from "../runtime/recorder.ts";
import { composeStatus, EVICTION_MS, expectationOf, failedStatus } from "./budget-status.ts";
import { expectedScale } from "./expected-scale.ts";

export const disruptionController: Controller = { name: "disruption", start };

const STALE = "pod/";

interface Keeping {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly budgets: Cache<PodDisruptionBudget>;
  readonly podCache: Cache<Pod>;
}

async function start(context: ControllerContext): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const following = { client, clock, random, log };
  const budgets = await openCache({ ...following, type: podDisruptionBudgets });
  const podCache = await openCache({ ...following, type: pods });
  const sets = await openCache({ ...following, type: statefulSets });
  const recorder = openRecorder({ ...following, component: "controllermanager" });
  const keeping = { client, clock, recorder, budgets, podCache };
  const worker = new KeyedWorker({
    reconcile: (key) =>
      key.startsWith(STALE) ? clearStale(keeping, key.slice(STALE.length)) : count(keeping, key),
    name: "disruption",
    clock,
    log,
    metrics,
  });
  const lookAll = (namespace: string, concerns: (budget: PodDisruptionBudget) => boolean) => {
    for (const budget of budgets.list(namespace)) if (concerns(budget)) worker.add(keyOf(budget));
  };
  budgets.onChange(({ object }) => worker.add(keyOf(object)), { existing: true });
  podCache.onChange(
    ({ type, object, previous }) => {
      const states = [object, previous ?? object];
      lookAll(object.metadata.namespace ?? "", ({ spec }) => states.some(selects(spec.selector)));
      if (type !== "DELETED" && targetOf(object)) worker.add(`${STALE}${keyOf(object)}`);
    },
    { existing: true },
  );
  sets.onChange(({ object }) => lookAll(object.metadata.namespace ?? "", () => true));
  return {
    stop: () => {
      for (const cache of [budgets, podCache, sets]) cache.close();
      worker.stop();
      recorder.stop();
    },
  };
}

async function count(keeping: Keeping, key: string): Promise<Outcome> {
  const { client, clock, recorder, budgets, podCache } = keeping;
  const budget = findIn(budgets, key);
  if (!budget) return done;
  const isCovered = selects(budget.spec.selector);
  const covered = podCache.list(budget.metadata.namespace ?? "").filter(isCovered);
  const { maxUnavailable, minAvailable } = budget.spec;
  const needsScale = maxUnavailable !== undefined || typeof minAvailable === "string";
  const expected = needsScale ? await expectedScale(client, covered) : undefined;
  const nowMs = clock.nowMs();
  if (expected && "problem" in expected) {
    const message = `Failed to calculate the number of expected pods: ${expected.problem}`;
    recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    await write(client, budget, failedStatus(budget, expected.problem, nowMs));
    return done;
  }
  if (expected && expected.unmanaged.length > 0) {
    recorder.event(budget, "Warning", "UnmanagedPods", UNMANAGED);
  }
  const expectation = expectationOf(budget, covered.length, expected?.scale);
  if (!expectation) return done;
  const { status, overdue, againInMs } = composeStatus(budget, covered, expectation, nowMs);
  for (const name of overdue) {
    const pod = podCache.get(budget.metadata.namespace ?? "", name);
    const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
    if (pod) recorder.event(pod, "Warning", "NotDeleted", message);
  }
  await write(client, budget, status);
  return againInMs === undefined ? done : after(againInMs);
}

const UNMANAGED =
  "Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status " +
  "of the PDB cannot be calculated correctly, which may result in undefined behavior. To account " +
  'for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';

async function write(
  client: Client,
  budget: PodDisruptionBudget,
  status: PodDisruptionBudget["status"],
): Promise<void> {
  if (isEqual(budget.status, status)) return;
  await client.updateStatus(podDisruptionBudgets, { ...budget, status }).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/** A pod that was marked for disruption and still exists after EVICTION_MS was not disrupted. */
async function clearStale({ client, clock, podCache }: Keeping, key: string): Promise<Outcome> {
  const pod = findIn(podCache, key);
  const target = pod && targetOf(pod);
  if (!pod || !target) return done;
  const sinceMs = target.lastTransitionTime ? millisecondsOf(target.lastTransitionTime) : 0;
  const waitMs = sinceMs + EVICTION_MS - clock.nowMs();
  if (waitMs > 0) return after(waitMs);
  const { namespace = "", name = "", uid } = pod.metadata;
  const type = "DisruptionTarget";
  const condition = { type, status: "False", lastTransitionTime: formatTime(clock.nowMs()) };
  const body = { metadata: { uid }, status: { conditions: [condition] } };
  await client
    .patch(pods, { namespace, name }, { type: "strategic", subresource: "status", body })
    .catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  return done;
}

/** The DisruptionTarget condition, unless the pod is terminating or has ended. */
function targetOf({ metadata, status }: Pod) {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  if (status.phase === "Succeeded" || status.phase === "Failed") return undefined;
  return status.conditions?.find(
    ({ type, status: is }) => type === "DisruptionTarget" && is === "True",
  );
}

function findIn<T extends PodDisruptionBudget | Pod>(cache: Cache<T>, key: string): T | undefined {
  const [namespace = "", name = ""] = key.split("/");
  return cache.get(namespace, name);
}

function keyOf({ metadata }: PodDisruptionBudget | Pod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
