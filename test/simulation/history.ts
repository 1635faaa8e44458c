/**
 * The contents of the store at every revision, and who wrote them. The referee judges a world by
 * it. When the server crashes, changes that were not on disk are removed here too.
 */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Change } from "../../src/store/types.ts";

export type Actor = "user" | "node" | "job" | "garbage" | "ttl";

/** How far the watches of a controller had come, and when. */
export interface Sight {
  readonly jobs: number;
  readonly pods: number;
  readonly nowMs: number;
}

/** One request of the Job controller. */
export interface Call {
  /**
   * The states on which the controller may have based the request, earliest first: a sync reads its
   * caches once, just before its first request, and several syncs may follow one another without a
   * pause.
   */
  readonly sights: readonly Sight[];
  /** The run of requests to which this one belongs; all of them share the same object. */
  readonly run: object;
  /** Whether a request about a pod in this run was rejected or not answered. */
  readonly hadTrouble: boolean;
  /** A new object whenever the controller restarts and loses its memory. */
  readonly instance: { readonly startedAt: number };
}

export interface Entry {
  readonly revision: number;
  readonly atMs: number;
  readonly actor: Actor;
  readonly type: Change["type"];
  readonly object: KubeObject;
  readonly previous?: KubeObject;
  readonly call?: Call;
}

interface State<T> {
  readonly revision: number;
  readonly object: T | undefined;
}

export class History {
  readonly #entries: Entry[] = [];
  readonly #states = new Map<string, State<KubeObject>[]>();
  readonly #podsOfJob = new Map<string, Set<string>>();

  add(entry: Entry): void {
    this.#entries.push(entry);
    const uid = entry.object.metadata.uid ?? "";
    const states = this.#states.get(uid) ?? [];
    const object = entry.type === "DELETED" ? undefined : entry.object;
    states.push({ revision: entry.revision, object });
    this.#states.set(uid, states);
    if (entry.object.kind !== "Pod") return;
    const owner = ownerOf(entry.object);
    if (owner === undefined) return;
    const pods = this.#podsOfJob.get(owner) ?? new Set();
    this.#podsOfJob.set(owner, pods.add(uid));
  }

  /** The server lost all changes after the revision. */
  cutAfter(revision: number): void {
    const kept = this.#entries.filter((entry) => entry.revision <= revision);
    this.#entries.length = 0;
    this.#states.clear();
    this.#podsOfJob.clear();
    for (const entry of kept) this.add(entry);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  jobAt(uid: string, revision: number): Job | undefined {
    return this.#at(uid, revision) as Job | undefined;
  }

  podAt(uid: string, revision: number): Pod | undefined {
    return this.#at(uid, revision) as Pod | undefined;
  }

  /** The pods that the Job owned at the revision, oldest first. */
  podsAt(jobUid: string, revision: number): readonly Pod[] {
    const pods = [...(this.#podsOfJob.get(jobUid) ?? [])].flatMap(
      (uid) => this.podAt(uid, revision) ?? [],
    );
    return pods.filter((pod) => ownerOf(pod) === jobUid);
  }

  /** The UIDs of all pods that the Job ever owned. */
  everyPodOf(jobUid: string): readonly string[] {
    return [...(this.#podsOfJob.get(jobUid) ?? [])];
  }

  statesOf(uid: string): readonly State<KubeObject>[] {
    return this.#states.get(uid) ?? [];
  }

  #at(uid: string, revision: number): KubeObject | undefined {
    return this.#states.get(uid)?.findLast((state) => state.revision <= revision)?.object;
  }
}

export function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
