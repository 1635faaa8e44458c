/**
 * Finds the places where an item may still have a process from before its run was resumed. The item
 * may have had other indexes, in Jobs that this Job replaced. Its pod starts when none is left.
 */
import { completionIndexOf } from "../api/completion-index.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Pod, Secret } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import { type FormerIndexesAt, openPast } from "../api/work-list/opened-list.ts";
import type { Cache } from "../client/cache.ts";
import { formatPlace, type Places } from "./predecessors.ts";

export interface FormerPlace {
  readonly place: string;
  /** The Job that had it then: another Job may have it now. */
  readonly jobUid: string;
}

/** The first of the places that a pod of its Job still has. */
export function findLiving(
  places: Places,
  former: readonly FormerPlace[],
  find: (podUid: string) => { readonly pod: Pod } | undefined,
): { readonly place: string; readonly holder: string } | undefined {
  for (const { place, jobUid } of former) {
    const holder = places.holderOf(place);
    const record = holder === undefined ? undefined : find(holder);
    const isOfJob = record && controllerOf(record.pod)?.uid === jobUid;
    if (holder !== undefined && isOfJob) return { place, holder };
  }
  return undefined;
}

export interface FormerProcessesOptions {
  readonly findJob: (pod: Pod) => { readonly job?: Job } | undefined;
  readonly configMaps: Pick<Cache<ConfigMap>, "get">;
  readonly secrets: Pick<Cache<Secret>, "get">;
}

export class FormerProcesses {
  /** By the uid of the Job; false for one whose items never moved. Lists do not change. */
  private readonly histories = new Map<string, FormerIndexesAt | false>();

  constructor(private readonly options: FormerProcessesOptions) {}

  placesOf(pod: Pod): readonly FormerPlace[] {
    const { job } = this.options.findJob(pod) ?? {};
    const index = completionIndexOf(pod);
    const formerAt = job && index !== undefined ? this.historyOf(job) : false;
    if (!formerAt || index === undefined) return [];
    const { namespace = "" } = pod.metadata;
    return formerAt(index).map((former) => ({
      place: formatPlace(namespace, former.name, former.index),
      jobUid: former.uid,
    }));
  }

  forgetJob({ metadata }: Job): void {
    this.histories.delete(metadata.uid ?? "");
  }

  private historyOf(job: Job): FormerIndexesAt | false {
    const { namespace = "", uid = "" } = job.metadata;
    const known = this.histories.get(uid);
    if (known !== undefined) return known;
    const { configMaps, secrets } = this.options;
    let isMissing = false;
    const history = openPast(job, ({ kind, name }) => {
      const cache = kind === "Secret" ? secrets : configMaps;
      const object = cache.get(namespace, name);
      isMissing ||= object === undefined;
      return object;
    });
    if (!isMissing) this.histories.set(uid, history ?? false);
    return history ?? false;
  }
}
