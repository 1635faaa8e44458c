/**
 * What an agent asks of volumes. Most pods have none, and of most processes nothing of it is ever
 * needed: whatever makes volumes is loaded for the first pod that has some.
 */
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../api/client.ts";
import type { ConfigMap, Container, Pod, Secret } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { persistentVolumeClaims, persistentVolumes } from "../../api/resources.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { TellOfPod } from "../admit.ts";
import type { Surroundings } from "../compose-run.ts";
import type { Variables } from "../environment/variable.ts";
import type { AccountFiles } from "./account-files.ts";
import type { ClaimLookup } from "./claim-source.ts";
import type { ComposedMounts } from "./mounts.ts";
import { mountedVolumes, type ReferredKind, referenceKey } from "./references.ts";
import type { Volumes } from "./volumes.ts";

export interface PodVolumesOptions {
  /** Absent: there are none. */
  readonly volumes?: VolumeMeasures;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: Surroundings["node"];
  readonly pods: Cache<Pod>;
  readonly configMaps: Cache<ConfigMap>;
  readonly secrets: Cache<Secret>;
  readonly tell: TellOfPod;
  /** A pod whose volumes were not all there may try again. */
  readonly retry: (podUid: string) => void;
}

export interface VolumeMeasures {
  /** Of its own. */
  readonly directory: string;
  /** PEM. Absent: there is no server that pods could speak to, and they get no token. */
  readonly certificateAuthority?: string;
}

export function openPodVolumes({ volumes, ...options }: PodVolumesOptions): PodVolumes | undefined {
  return volumes && new PodVolumes({ ...options, measures: volumes });
}

interface Options extends Omit<PodVolumesOptions, "volumes"> {
  readonly measures: VolumeMeasures;
}

export class PodVolumes {
  private volumes: Volumes | undefined;
  private opening: Promise<Volumes> | undefined;
  private accounts: AccountFiles | undefined;
  private claims: Promise<ClaimLookup> | undefined;
  /** Pods whose volumes another agent made. */
  private readonly found = new Set<string>();
  private readonly removals = new Set<Promise<void>>();
  private readonly caches: Pick<Cache<never>, "close">[] = [];

  constructor(private readonly options: Options) {}

  /** Undefined where there is nothing to wait for; else whether everything is there now. */
  prepare(pod: Pod): Promise<boolean> | undefined {
    const account = this.prepareAccount(pod);
    const volumes = hasVolumes(pod) ? this.prepareVolumes(pod) : undefined;
    if (account === undefined) return volumes;
    return account.then(() => volumes ?? true);
  }

  /** What it mounts; the volumes are there. */
  mountsOf(pod: Pod, container: Container, variables: Variables): ComposedMounts | undefined {
    if (this.volumes === undefined || !container.volumeMounts?.length) return undefined;
    return this.volumes.mountsOf(pod, container, variables);
  }

  accountDirectoryOf(pod: Pod): string | undefined {
    return this.accounts?.directoryOf(pod);
  }

  /** Nothing of the pod is left. */
  release(podUid: string): void {
    this.accounts?.release(podUid);
    const wasFound = this.found.delete(podUid);
    if (this.volumes) this.note(this.volumes.release(podUid, wasFound));
    else if (wasFound) this.note(this.removeAll([podUid]));
  }

  /** What was left by pods that nobody knows any more. */
  sweep(isKnown: (podUid: string) => boolean): void {
    const left: string[] = [];
    for (const uid of list(this.podsDirectory)) {
      if (isKnown(uid)) this.found.add(uid);
      else left.push(uid);
    }
    if (left.length > 0) this.note(this.removeAll(left));
  }

  /** Settles when what is being removed is gone; where nothing is left running, mounts too. */
  async close({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<void> {
    this.accounts?.close();
    // Where nothing is left running nobody needs a token any more.
    if (!leavesRunning) rmSync(this.accountsDirectory, { recursive: true, force: true });
    for (const cache of this.caches) cache.close();
    await Promise.allSettled(this.removals);
    if (!leavesRunning) await this.volumes?.directories.unmountAll();
    this.volumes?.close();
  }

  private async removeAll(uids: readonly string[]): Promise<void> {
    const volumes = await this.open();
    for (const uid of uids) await volumes.remove(uid);
  }

  private note(removal: Promise<void>): void {
    this.removals.add(removal);
    void removal.finally(() => this.removals.delete(removal));
  }

  private get accountsDirectory(): string {
    return path.join(this.options.measures.directory, "accounts");
  }

  private get podsDirectory(): string {
    return path.join(this.options.measures.directory, "pods");
  }

  private prepareAccount(pod: Pod): Promise<void> | undefined {
    const { measures } = this.options;
    const { certificateAuthority } = measures;
    if (certificateAuthority === undefined) return undefined;
    if (this.accounts !== undefined) return this.accounts.prepare(pod);
    return import("./account-files.ts").then(({ AccountFiles }) => {
      const directory = this.accountsDirectory;
      this.accounts ??= new AccountFiles({ ...this.options, directory, certificateAuthority });
      return this.accounts.prepare(pod);
    });
  }

  private prepareVolumes(pod: Pod): Promise<boolean> {
    if (this.volumes !== undefined) return this.volumes.prepare(pod);
    return this.open().then((volumes) => volumes.prepare(pod));
  }

  private open(): Promise<Volumes> {
    const { client, node, configMaps, secrets, retry } = this.options;
    this.opening ??= import("./volumes.ts").then(({ Volumes }) => {
      const volumes = new Volumes({
        ...this.options,
        directory: this.podsDirectory,
        allocatable: node.allocatable,
        wake: retry,
        configMap: (namespace, name) => configMaps.get(namespace, name),
        secret: (namespace, name) => secrets.get(namespace, name),
        claims: () => this.openClaims(),
        requestToken: (account, spec) => client.requestToken(account, spec),
      });
      this.follow(volumes);
      this.volumes = volumes;
      return volumes;
    });
    return this.opening;
  }

  private follow(volumes: Volumes): void {
    const { pods, configMaps, secrets } = this.options;
    pods.onChange(({ object }) => volumes.podChanged(object));
    configMaps.onChange(({ object }) => volumes.changed(referenceOf("configMap", object)));
    secrets.onChange(({ object }) => volumes.changed(referenceOf("secret", object)));
  }

  private openClaims(): Promise<ClaimLookup> {
    const { client, clock, log } = this.options;
    const following = { client, clock, log };
    this.claims ??= Promise.all([
      openCache({ ...following, type: persistentVolumeClaims }),
      openCache({ ...following, type: persistentVolumes }),
    ]).then(([claims, volumes]) => {
      this.caches.push(claims, volumes);
      claims.onChange(({ object }) => this.volumes?.changed(referenceOf("claim", object)));
      return {
        claim: (namespace, name) => claims.get(namespace, name),
        volume: (name) => volumes.get("", name),
      };
    });
    return this.claims;
  }
}

function referenceOf(kind: ReferredKind, { metadata }: KubeObject): string {
  return referenceKey(kind, metadata.namespace ?? "", metadata.name ?? "");
}

function hasVolumes(pod: Pod): boolean {
  return mountedVolumes(pod).length > 0;
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
