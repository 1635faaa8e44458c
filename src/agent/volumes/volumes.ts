/**
 * The volumes of the pods of this node, as directories and files of the host.
 *
 * A pod's containers start when all volumes they mount are there. What is missing is told once it
 * is missed, and asked for again when an object it is made of changes, or after a while where
 * nobody would tell. Volumes that are made of objects follow these as long as the pod lives.
 *
 * Reading order: this file, prepare-volume (one volume), payload with atomic-writer (those made of
 * objects), host-path, directories, claim-source; then mounts with sub-path (what a container gets
 * of them). Nothing here mounts anything for a container: that is its runtime's.
 */
import type { Container, Pod, Volume } from "../../api/generated/core.ts";
import { type Backoff, backoffMs } from "../../base/backoff.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { TellOfPod } from "../admit.ts";
import type { Variables } from "../environment/variable.ts";
import { VolumeDirectories } from "./directories.ts";
import { Mounter } from "./mounter.ts";
import { type ComposedMounts, composeMounts, type PreparedVolume } from "./mounts.ts";
import { isComposed } from "./payload.ts";
import { prepareVolume, type VolumeWorld, writeComposed } from "./prepare-volume.ts";
import { followsPod, mountedVolumes, referencesOf } from "./references.ts";
import { systemErrorText } from "./system-error.ts";

export interface VolumesOptions extends Omit<VolumeWorld, "directories"> {
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly tell: TellOfPod;
  /** Something has come up for a pod whose volumes were not all there. */
  readonly wake: (podUid: string) => void;
}

interface PodVolumes {
  pod: Pod;
  readonly volumes: readonly Volume[];
  readonly ready: Map<string, PreparedVolume>;
  /** Objects that said they never change: another one of the same name is not looked at. */
  readonly frozen: Set<string>;
  /** Of volumes with tokens, and of a pod that waits. */
  readonly timers: Map<string, Timer>;
  preparing: Promise<boolean> | undefined;
  failures: number;
  isReleased: boolean;
}

/** As kubelet tries again. */
const RETRY: Backoff = { firstMs: 500, maxMs: 122_000 };
const WAIT = "";

export class Volumes {
  private readonly pods = new Map<string, PodVolumes>();
  /** Pods by what their volumes are made of. */
  private readonly users = new Map<string, Set<string>>();
  private readonly mounter = new Mounter();
  private readonly world: VolumeWorld;
  readonly directories: VolumeDirectories;

  constructor(private readonly options: VolumesOptions) {
    this.directories = new VolumeDirectories(options.directory, this.mounter);
    this.world = { ...options, directories: this.directories };
  }

  /** Whether all that its containers mount is there now. */
  prepare(pod: Pod): Promise<boolean> {
    const known = this.pods.get(uidOf(pod)) ?? this.take(pod);
    known.preparing ??= this.prepareAll(known).finally(() => {
      known.preparing = undefined;
    });
    return known.preparing;
  }

  mountsOf(pod: Pod, container: Container, variables: Variables): ComposedMounts {
    const ready = this.pods.get(uidOf(pod))?.ready ?? new Map<string, PreparedVolume>();
    return composeMounts(container, variables, ready);
  }

  /** An object that volumes may be made of has changed. */
  changed(reference: string): void {
    for (const uid of this.users.get(reference) ?? []) {
      const known = this.pods.get(uid);
      if (known && !known.frozen.has(reference))
        this.follow(known, (volume) => referencesOf(known.pod, volume).includes(reference));
    }
  }

  podChanged(pod: Pod): void {
    const known = this.pods.get(uidOf(pod));
    if (known === undefined) return;
    const { metadata: before } = known.pod;
    known.pod = pod;
    const { labels, annotations } = pod.metadata;
    if (before.labels === labels && before.annotations === annotations) return;
    this.follow(known, followsPod);
  }

  /** `wasFound`: another agent made its volumes. */
  async release(podUid: string, wasFound: boolean): Promise<void> {
    const known = this.pods.get(podUid);
    if (known !== undefined) {
      this.pods.delete(podUid);
      known.isReleased = true;
      for (const timer of known.timers.values()) timer.cancel();
      for (const volume of known.volumes) this.unlist(known.pod, volume);
      await known.preparing?.catch(() => false);
    }
    if (known !== undefined || wasFound) await this.remove(podUid);
  }

  /** What pods left that are gone, or were when nobody was there to see it. */
  async remove(podUid: string): Promise<void> {
    try {
      await this.directories.remove(podUid);
    } catch (error) {
      this.options.log.warn("volumes of a pod could not be removed", { podUid, error });
    }
  }

  close(): void {
    for (const { timers } of this.pods.values()) {
      for (const timer of timers.values()) timer.cancel();
    }
    this.mounter.close();
  }

  private take(pod: Pod): PodVolumes {
    const known: PodVolumes = {
      pod,
      volumes: mountedVolumes(pod),
      ready: new Map(),
      frozen: new Set(),
      timers: new Map(),
      preparing: undefined,
      failures: 0,
      isReleased: false,
    };
    this.pods.set(uidOf(pod), known);
    for (const volume of known.volumes) {
      for (const reference of referencesOf(pod, volume)) {
        const users = this.users.get(reference) ?? new Set();
        this.users.set(reference, users.add(uidOf(pod)));
      }
    }
    return known;
  }

  private unlist(pod: Pod, volume: Volume): void {
    for (const reference of referencesOf(pod, volume)) {
      const users = this.users.get(reference);
      users?.delete(uidOf(pod));
      if (users?.size === 0) this.users.delete(reference);
    }
  }

  private async prepareAll(known: PodVolumes): Promise<boolean> {
    const missing = known.volumes.filter(({ name }) => !known.ready.has(name));
    if (missing.length === 0) return true;
    const problems = await Promise.all(missing.map((volume) => this.prepareOne(known, volume)));
    if (known.isReleased) return false;
    this.tellUnprocessed(known, missing, problems);
    if (problems.every((problem) => problem === undefined)) return true;
    this.wait(known);
    return false;
  }

  /** What is wrong, where it is; told already unless it is a claim that could not be processed. */
  private async prepareOne(known: PodVolumes, volume: Volume): Promise<Problem | undefined> {
    const { pod } = known;
    try {
      const prepared = await prepareVolume(this.world, pod, volume);
      if ("unprocessed" in prepared) return prepared;
      if ("problem" in prepared) {
        const { name = volume.name, step = SET_UP, problem } = prepared;
        this.tellFailed(pod, `${step} for volume "${name}" : ${problem}`);
        return prepared;
      }
      for (const lack of prepared.lacks ?? []) this.options.tell(pod, "Warning", lack);
      known.ready.set(volume.name, prepared);
      for (const reference of referencesOf(pod, volume)) {
        if (this.isImmutable(reference)) known.frozen.add(reference);
      }
      this.refreshLater(known, volume, prepared.refreshInMs);
      return undefined;
    } catch (error) {
      const problem = systemErrorText(error);
      this.tellFailed(pod, `${SET_UP} for volume "${volume.name}" : ${problem}`);
      return { problem };
    }
  }

  private isImmutable(reference: string): boolean {
    const [kind, namespace = "", name = ""] = reference.split("/");
    if (kind === "configMap") return this.world.configMap(namespace, name)?.immutable === true;
    return kind === "secret" && this.world.secret(namespace, name)?.immutable === true;
  }

  private tellUnprocessed(
    { pod, ready }: PodVolumes,
    missing: readonly Volume[],
    problems: readonly (Problem | undefined)[],
  ): void {
    const texts = problems.flatMap((each) =>
      each && "unprocessed" in each ? each.unprocessed : [],
    );
    if (texts.length === 0) return;
    const unmounted = missing.filter(({ name }) => !ready.has(name)).map(({ name }) => name);
    const failed = missing.filter((_, place) => {
      const problem = problems[place];
      return problem !== undefined && "unprocessed" in problem;
    });
    const lists =
      `unmounted volumes=[${unmounted.join(" ")}], unattached volumes=[], ` +
      `failed to process volumes=[${failed.map(({ name }) => name).join(" ")}]`;
    const message = `Unable to attach or mount volumes: ${lists}: ${texts.join("; ")}`;
    this.tellFailed(pod, message);
  }

  private tellFailed(pod: Pod, message: string): void {
    this.options.tell(pod, "Warning", { reason: "FailedMount", message });
  }

  private wait(known: PodVolumes): void {
    known.failures++;
    const delayMs = backoffMs(RETRY, known.failures);
    this.later(known, WAIT, delayMs, () => this.options.wake(uidOf(known.pod)));
  }

  /** What is there is written again, what is not may be there now. */
  private follow(known: PodVolumes, isMeant: (volume: Volume) => boolean): void {
    for (const volume of known.volumes) {
      if (!isMeant(volume)) continue;
      if (!known.ready.has(volume.name)) this.options.wake(uidOf(known.pod));
      else if (isComposed(volume)) void this.rewrite(known, volume);
    }
  }

  private async rewrite(known: PodVolumes, volume: Volume): Promise<void> {
    const { pod } = known;
    try {
      const written = await writeComposed(this.world, pod, volume, () => known.isReleased);
      if (written === undefined) return;
      if ("problem" in written) {
        this.tellFailed(pod, `${SET_UP} for volume "${volume.name}" : ${written.problem}`);
      } else {
        this.refreshLater(known, volume, written.refreshInMs);
      }
    } catch (error) {
      const text = systemErrorText(error);
      this.tellFailed(pod, `${SET_UP} for volume "${volume.name}" : ${text}`);
    }
  }

  /** Tokens are replaced before they expire. */
  private refreshLater(known: PodVolumes, volume: Volume, inMs: number | undefined): void {
    if (inMs === undefined) return;
    this.later(known, volume.name, inMs, () => void this.rewrite(known, volume));
  }

  private later(known: PodVolumes, name: string, delayMs: number, task: () => void): void {
    if (known.isReleased) return;
    known.timers.get(name)?.cancel();
    known.timers.set(name, this.options.clock.schedule(delayMs, task));
  }
}

type Problem = { readonly problem: string } | { readonly unprocessed: string };

const SET_UP = "MountVolume.SetUp failed";

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}
