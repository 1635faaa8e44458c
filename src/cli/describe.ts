/** "tally describe": objects in detail. What is said of each kind is in the folder describe. */
import { ApiError } from "../api/errors.ts";
import type { StatefulSet } from "../api/generated/apps.ts";
import type { CronJob, Job } from "../api/generated/batch.ts";
import type { Event, Node, Pod, Service } from "../api/generated/core.ts";
import type { KubeObject } from "../api/object.ts";
import { systemClock } from "../base/clock.ts";
import { terminalText } from "../base/terminal-text.ts";
import { failureOf } from "../command/error-text.ts";
import type { Machine } from "../command/machine.ts";
import { alignTabs } from "../command/tabbed-text.ts";
import { type Cluster, type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import type { Offered } from "./cluster/discovery.ts";
import { findObjects } from "./cluster/object-requests.ts";
import { findTargets, type Target } from "./cluster/targets.ts";
import { anyObjectLines } from "./describe/any-object.ts";
import { cronJobLines } from "./describe/cron-job.ts";
import type { Lines } from "./describe/fields.ts";
import { jobLines } from "./describe/job.ts";
import { nodeLines } from "./describe/node.ts";
import { podLines } from "./describe/pod.ts";
import {
  readEvents,
  readLease,
  readNodeEvents,
  readPods,
  readPodsOfNode,
  readSlices,
} from "./describe/read-facts.ts";
import { selectorText } from "./describe/selector-text.ts";
import { serviceLines } from "./describe/service.ts";
import { statefulSetLines } from "./describe/stateful-set.ts";

export interface DescribeFlags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  /** Absent: of one object, not of many. */
  readonly showEvents?: boolean;
}

export async function describe(
  args: readonly string[],
  flags: DescribeFlags,
  machine: Machine,
): Promise<void> {
  const cluster = await openCluster(flags, machine);
  try {
    const isEverywhere = flags.allNamespaces === true;
    const { targets } = await findTargets(cluster, args, { isEverywhere });
    const { found, errors } = await findAll(cluster, targets, flags);
    const showsEvents = flags.showEvents ?? (found.length === 1 && !found[0]?.isAlike);
    for (const [at, { type, object, isAlike }] of found.entries()) {
      const lines = await linesOf(cluster, type, object, showsEvents);
      const text = alignTabs(terminalText(lines.join("\n")).split("\n"));
      if (isAlike) machine.writeOut(`${text}\n`);
      else machine.writeOut(at === 0 ? text : `\n\n${text}`);
    }
    const failure = failureOf(errors);
    if (failure) throw failure;
    if (found.length === 0) machine.writeError(`${nothingFound(cluster, targets)}\n`);
  } finally {
    cluster.close();
  }
}

function nothingFound(cluster: Cluster, targets: readonly Target[]): string {
  const isOfOne = targets.every(({ namespace }) => namespace !== undefined);
  return isOfOne ? `No resources found in ${cluster.namespace} namespace.` : "No resources found";
}

interface Match {
  readonly type: Offered;
  readonly object: KubeObject;
  /** Only the beginning of its name was given. */
  readonly isAlike: boolean;
}

async function findAll(
  cluster: Cluster,
  targets: readonly Target[],
  flags: DescribeFlags,
): Promise<{ readonly found: readonly Match[]; readonly errors: readonly unknown[] }> {
  const isOnly = targets.length === 1;
  const settled = await Promise.allSettled(
    targets.map((target) => matching(cluster, target, isOnly, flags)),
  );
  return {
    found: settled.flatMap((each) => (each.status === "fulfilled" ? each.value : [])),
    errors: settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
  };
}

/** The one of that name; if nothing else was asked for, all whose names begin with it. */
async function matching(
  cluster: Cluster,
  target: Target,
  isOnly: boolean,
  flags: DescribeFlags,
): Promise<readonly Match[]> {
  const { name, ...collection } = target;
  const { type } = target;
  const wanted = name === undefined ? collection : target;
  try {
    const { objects } = await findObjects(cluster, wanted, flags);
    return objects.map((object) => ({ type, object, isAlike: false }));
  } catch (error) {
    const isAbsent = error instanceof ApiError && error.code === 404;
    if (!isAbsent || !isOnly || name === undefined) throw error;
    const { objects } = await findObjects(cluster, collection);
    const alike = objects.filter(({ metadata }) => metadata.name?.startsWith(name));
    if (alike.length === 0) throw error;
    return alike.map((object) => ({ type, object, isAlike: true }));
  }
}

async function linesOf(
  cluster: Cluster,
  { group, kind }: Offered,
  object: KubeObject,
  showEvents: boolean,
): Promise<Lines> {
  const nowMs = systemClock.nowMs();
  const own = async (read: () => Promise<readonly Event[]>) => (showEvents ? read() : undefined);
  const events = () => own(() => readEvents(cluster, object));
  switch (group === "" ? kind : `${kind}.${group}`) {
    case "Pod": {
      const ofPod = await own(() => readEvents(cluster, object, { kind: "" }));
      return podLines(object as Pod, ofPod, nowMs);
    }
    case "Job.batch":
      return jobLines(object as Job, await events(), nowMs);
    case "CronJob.batch":
      return cronJobLines(object as CronJob, await events(), nowMs);
    case "StatefulSet.apps": {
      const set = object as StatefulSet;
      const { namespace = "" } = set.metadata;
      const pods = await readPods(cluster, namespace, selectorText(set.spec.selector));
      return statefulSetLines(set, { pods, events: await events() }, nowMs);
    }
    case "Service": {
      const slices = await readSlices(cluster, object);
      return serviceLines(object as Service, { slices, events: await events() }, nowMs);
    }
    case "Node":
      return describeNode(cluster, object as Node, own);
    default:
      return anyObjectLines(object, await events(), nowMs);
  }
}

async function describeNode(
  cluster: Cluster,
  node: Node,
  own: (read: () => Promise<readonly Event[]>) => Promise<readonly Event[] | undefined>,
): Promise<Lines> {
  const [lease, pods, events] = await Promise.all([
    readLease(cluster, node.metadata.name ?? ""),
    readPodsOfNode(cluster, node),
    own(() => readNodeEvents(cluster, node)),
  ]);
  return nodeLines(node, { lease, pods, events }, systemClock.nowMs());
}
