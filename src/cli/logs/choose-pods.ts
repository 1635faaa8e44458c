/** The pods whose logs are meant: one, those of a label, or those of a Job or another owner. */

import type { ApiError } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { isNotFound } from "../../client/find.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findOffered, type Offered } from "../cluster/discovery.ts";
import { findObjects, watchRequest } from "../cluster/object-requests.ts";
import { findTargets, type Target } from "../cluster/targets.ts";
import { eventsOf } from "../cluster/watch-events.ts";
import { orderForLogs } from "./order-pods.ts";

export interface ChosenPods {
  readonly pods: readonly Pod[];
  /** What the user should know of the choice. */
  readonly notes: readonly string[];
}

export interface PodChoice {
  readonly selector: string | undefined;
  /** Of an owner: all of its pods instead of one. */
  readonly all: boolean;
  /** How long to wait for the first pod of an owner. */
  readonly timeoutMs: number;
}

export async function choosePods(
  cluster: Cluster,
  target: string | undefined,
  choice: PodChoice,
): Promise<ChosenPods> {
  const podTarget = await allPods(cluster);
  if (target === undefined) {
    const pods = await podsOf(cluster, podTarget, choice.selector ?? "");
    const notes = pods.length > 0 ? [] : [nothingFound(cluster)];
    return { pods, notes };
  }
  const { targets } = await findTargets(cluster, [target]);
  const [only] = targets;
  if (only?.name === undefined) throw new CommandFailure("error: logs are of one TYPE/NAME");
  const { objects } = await findObjects(cluster, only).catch((error) => {
    throw isNotFound(error) ? absent(cluster, error) : error;
  });
  const [object] = objects;
  if (only.type.resource === "pods") return { pods: objects as readonly Pod[], notes: [] };
  return podsOfOwner(cluster, podTarget, selectorOf(only.type, object), choice);
}

function absent({ namespace }: Cluster, { message }: ApiError): CommandFailure {
  const where = `in namespace ${quote(namespace)}`;
  return new CommandFailure(`error: error from server (NotFound): ${message} ${where}`);
}

async function allPods(cluster: Cluster): Promise<Target> {
  const type = findOffered(await cluster.offered(), "pods");
  if (type === undefined) throw new CommandFailure("error: the server has no pods");
  return { type, namespace: cluster.namespace };
}

async function podsOf(cluster: Cluster, target: Target, selector: string): Promise<readonly Pod[]> {
  return (await findObjects(cluster, target, { selector })).objects as readonly Pod[];
}

function nothingFound({ namespace }: Cluster): string {
  return `No resources found in ${namespace} namespace.`;
}

/** Controllers have a label selector, services and replication controllers a map of labels. */
function selectorOf(type: Offered, object: KubeObject | undefined): string {
  const spec = (object as { readonly spec?: { readonly selector?: unknown } } | undefined)?.spec;
  const selector = spec?.selector;
  if (selector === null || typeof selector !== "object") {
    throw new CommandFailure(`error: a ${type.singular} has no pods of its own`);
  }
  const isPlain = !("matchLabels" in selector) && !("matchExpressions" in selector);
  const whole = isPlain ? { matchLabels: selector } : selector;
  return formatLabelSelector(whole as LabelSelector);
}

async function podsOfOwner(
  cluster: Cluster,
  target: Target,
  selector: string,
  { all, timeoutMs }: PodChoice,
): Promise<ChosenPods> {
  const found = await podsOf(cluster, target, selector);
  if (all) return { pods: found, notes: found.length > 0 ? [] : [nothingFound(cluster)] };
  if (found.length === 0) {
    return { pods: [await firstPod(cluster, target, selector, timeoutMs)], notes: [] };
  }
  const [first] = orderForLogs(found);
  const pods = first ? [first] : [];
  if (found.length === 1) return { pods, notes: [] };
  const note = `Found ${found.length} pods, using pod/${first?.metadata.name}`;
  return { pods, notes: [note] };
}

async function firstPod(
  cluster: Cluster,
  target: Target,
  selector: string,
  timeoutMs: number,
): Promise<Pod> {
  const request = watchRequest(target, { selector }, {});
  const signal = AbortSignal.timeout(Math.max(timeoutMs, 1));
  try {
    for await (const { object } of eventsOf<Pod>(cluster, request, signal)) return object;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new CommandFailure("error: timed out waiting for the condition");
}
