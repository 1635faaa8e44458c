/**
 * What the store held, revision by revision, and who wrote it: the truth a world is judged by. A
 * crash of the server takes back what was not on disk, here as there.
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
   * What the controller may have gone by: a sync looks once, just before its first request, and
   * several syncs may follow one another without a pause. Earliest first.
   */
  readonly sights: readonly Sight[];
  /** The run of requests this one belongs to; the same object for all of them. */
  readonly run: object;
  /** Whether a request about a pod in this run was refused or not answered. */
  readonly hadTrouble: boolean;
  /** Changes whenever the controller starts anew, and with it what it remembers. */
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

  /** The server lost everything after the revision. */
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

  /** The pods that were the Job's at the revision, oldest first. */
  podsAt(jobUid: string, revision: number): readonly Pod[] {
    const pods = [...(this.#podsOfJob.get(jobUid) ?? [])].flatMap(
      (uid) => this.podAt(uid, revision) ?? [],
    );
    return pods.filter((pod) => ownerOf(pod) === jobUid);
  }

  /** Every state the object had, of those that were the Job's at any time. */
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
