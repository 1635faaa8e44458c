/**
 * A Client that shows a run of a cluster as one Job, although it may have several: pods have the
 * index of the run and the name of their item. Changes go to the last Job of the run.
 */
import type { Client, ListRequest, Name, ResourceType } from "../../api/client.ts";
import { COMPLETION_INDEX, completionIndexOf } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { jobs, pods } from "../../api/resources.ts";
import { ITEM } from "../../api/work-list/names.ts";
import {
  chainJobs,
  composeWhole,
  indexInRun,
  lastJob,
  type RunChain,
  withLast,
} from "./run-chain.ts";

export interface RunView {
  readonly chain: RunChain;
  /** The name of the item of an index of the run. */
  readonly itemAt: (index: number) => string | undefined;
}

export function runClient(client: Client, view: RunView): Client {
  const { chain } = view;
  const name = chain.first.metadata.name ?? "";
  const last = lastJob(chain).metadata.name ?? "";
  const shown = <T extends KubeObject>(type: ResourceType<T>, object: T): T =>
    showObject(view, type, object) as T;
  const placed = (type: ResourceType, given: Name): Name =>
    isType(type, jobs) && given.name === name ? { ...given, name: last } : given;
  const selecting = <R extends ListRequest>(type: ResourceType, request: R): R => {
    const isMeant = isType(type, jobs) && request.fieldSelector === `metadata.name=${name}`;
    return isMeant ? { ...request, fieldSelector: `metadata.name=${last}` } : request;
  };
  return {
    ...client,
    get: async (type, given) => shown(type, await client.get(type, placed(type, given))),
    list: async (type, request = {}) => {
      const found = await client.list(type, selecting(type, request));
      return { ...found, items: found.items.map((item) => shown(type, item)) };
    },
    watch: (type, request, handlers) =>
      client.watch(type, selecting(type, request), {
        ...handlers,
        onEvent: (event) => handlers.onEvent({ ...event, object: shown(type, event.object) }),
      }),
    patch: async (type, given, request) =>
      shown(type, await client.patch(type, placed(type, given), request)),
    delete: (type, given, request) => client.delete(type, placed(type, given), request),
  };
}

/** A pod with the index of the run and the name of its item. */
export function showPod({ chain, itemAt }: RunView, pod: Pod): Pod {
  const owner = controllerOf(pod);
  const job = chainJobs(chain).find(({ metadata }) => metadata.uid === owner?.uid);
  const own = completionIndexOf(pod);
  if (!job || own === undefined) return pod;
  const index = indexInRun(job, own);
  const { annotations = {} } = pod.metadata;
  const item = annotations[ITEM] ?? itemAt(index);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: {
        ...annotations,
        [COMPLETION_INDEX]: String(index),
        ...(item === undefined ? {} : { [ITEM]: item }),
      },
    },
    spec: withHostname(pod.spec, { job, own, index }),
  };
}

/** The ledger reads the index from the hostname, which clients cannot change. */
function withHostname(
  spec: Pod["spec"],
  { job, own, index }: { readonly job: Job; readonly own: number; readonly index: number },
): Pod["spec"] {
  const { name } = job.metadata;
  return spec.hostname === `${name}-${own}` ? { ...spec, hostname: `${name}-${index}` } : spec;
}

function showObject(view: RunView, type: ResourceType, object: KubeObject): KubeObject {
  if (isType(type, pods)) return showPod(view, object as Pod);
  if (!isType(type, jobs)) return object;
  const { chain } = view;
  const isLast = object.metadata.uid === lastJob(chain).metadata.uid;
  return isLast ? composeWhole(withLast(chain, object as Job)) : object;
}

function isType(type: ResourceType, other: ResourceType): boolean {
  return type.resource === other.resource && type.group === other.group;
}
