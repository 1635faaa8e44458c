/**
 * The common part of the ScheduledJob and Workflow controllers: an owner is reconciled when it
 * changes and when one of its Jobs has ended.
 */
import type { Client, ResourceType } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import type { KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { jobs } from "../../api/resources.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cache, type CacheChange, openCache } from "../../client/cache.ts";
import type { ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import type { Outcome } from "../runtime/outcome.ts";
import { type EventRecorder, openRecorder } from "../runtime/recorder.ts";
import { withStatus } from "./with-status.ts";

export interface JobMaker<T extends KubeObject & { readonly status: object }> {
  readonly name: string;
  readonly kind: string;
  readonly type: ResourceType<T>;
  readonly isNews: (change: CacheChange<T>) => boolean;
  readonly reconcile: (hands: Hands, owner: T) => Promise<Outcome>;
}

export interface Hands {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly jobs: Pick<Cache<Job>, "get">;
}

export async function startJobMaker<T extends KubeObject & { readonly status: object }>(
  { client, clock, random, log, metrics }: ControllerContext,
  { name, kind, type, isNews, reconcile }: JobMaker<T>,
): Promise<RunningController> {
  const following = { client, clock, random, log };
  const owners = await openCache({ ...following, type });
  const children = await openCache({ ...following, type: jobs });
  const recorder = openRecorder({ ...following, component: `${name}-controller` });
  const hands = { client, clock, recorder, jobs: children };
  const worker = new KeyedWorker({
    reconcile: async (key) => {
      const [namespace = "", ownerName = ""] = key.split("/");
      const owner = owners.get(namespace, ownerName);
      return owner && reconcile(hands, withStatus(owner));
    },
    name,
    clock,
    log,
    metrics,
  });
  owners.onChange(
    (change) => {
      if (change.type === "DELETED") worker.forget(keyOf(change.object));
      else if (isNews(change)) worker.add(keyOf(change.object));
    },
    { existing: true },
  );
  children.onChange((change) => {
    const owner = isEnd(change) ? controllerOf(change.object) : undefined;
    if (owner?.kind !== kind) return;
    worker.add(`${change.object.metadata.namespace ?? ""}/${owner.name}`);
  });
  return {
    stop: () => {
      owners.close();
      children.close();
      worker.stop();
      recorder.stop();
    },
  };
}

/** Only the end of a Job matters; its other changes do not trigger a reconcile of the owner. */
function isEnd({ type, object, previous }: CacheChange<Job>): boolean {
  if (type === "DELETED") return true;
  return isFinished(object) && (!previous || !isFinished(previous));
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
