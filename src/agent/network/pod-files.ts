/**
 * The /etc/hosts and /etc/resolv.conf of pods that have their own: files of the host that a sandbox
 * shows in their places. They are written before the pod begins, in place and not by a rename: a
 * file that is mounted elsewhere stays the one it was.
 */
import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Closable } from "../../api/client.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { composeHosts, type Peer } from "./hosts-file.ts";
import { composeResolvConf, parseResolvConf, type ResolverConfig } from "./resolv-conf.ts";

/** The names of the cluster, opened when the first pod asks for them. */
export interface ClusterNames {
  ensure(): Promise<OpenNames>;
}

export interface OpenNames {
  /** Where a name server is that the pod can reach. */
  dnsFor(pod: { readonly hasOwnNetwork: boolean }): string | undefined;
  /** Where there is none: whom the pods of a namespace have to know. */
  peersFor(namespace: string): readonly Peer[];
  onChange(listener: () => void): Closable;
}

export interface PodFilesOptions {
  /** Ours alone. */
  readonly directory: string;
  readonly nodeName: string;
  readonly clock: Clock;
  /** Absent: pods have the name servers of the host. */
  readonly names?: ClusterNames;
}

export interface NetworkFiles {
  readonly hosts: string;
  readonly resolvConf: string;
}

export interface PodPlace {
  readonly podIp: string;
  /** With a loopback device of its own. */
  readonly hasOwnNetwork: boolean;
}

const UPDATE_AFTER_MS = 5;

export class PodFiles {
  /** Pods whose files follow the cluster, as there is no name server for them. */
  private readonly live = new Map<string, { readonly pod: Pod; readonly place: PodPlace }>();
  private following: Closable | undefined;
  private timer: Timer | undefined;

  constructor(private readonly options: PodFilesOptions) {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  }

  /** Where they are, once they say what is true. */
  async prepare(pod: Pod, place: PodPlace): Promise<NetworkFiles> {
    const names = await this.options.names?.ensure().catch(() => undefined);
    const clusterDns = names?.dnsFor(place);
    const files = this.filesOf(pod.metadata.uid ?? "");
    if (names && clusterDns === undefined) this.follow(pod, place, names);
    this.writeHosts(pod, place, clusterDns === undefined ? names : undefined);
    const around = {
      ...(clusterDns === undefined ? {} : { clusterDns }),
      host: readHostResolver(),
      hasOwnNetwork: place.hasOwnNetwork,
    };
    write(files.resolvConf, composeResolvConf(pod, around));
    return files;
  }

  /** The pod is gone. */
  async release(uid: string): Promise<void> {
    this.live.delete(uid);
    const { hosts, resolvConf } = this.filesOf(uid);
    await Promise.all([rm(hosts, { force: true }), rm(resolvConf, { force: true })]);
  }

  /** What a crash has left of pods that are not there any more. */
  async sweep(isKnown: (uid: string) => boolean): Promise<void> {
    const entries = await readdir(this.options.directory);
    const uids = new Set(entries.map((entry) => entry.replace(/\.(hosts|resolv)$/, "")));
    await Promise.all([...uids].filter((uid) => !isKnown(uid)).map((uid) => this.release(uid)));
  }

  close(): void {
    this.timer?.cancel();
    this.following?.close();
  }

  private filesOf(uid: string): NetworkFiles {
    const base = join(this.options.directory, uid);
    return { hosts: `${base}.hosts`, resolvConf: `${base}.resolv` };
  }

  private follow(pod: Pod, place: PodPlace, names: OpenNames): void {
    this.live.set(pod.metadata.uid ?? "", { pod, place });
    this.following ??= names.onChange(() => {
      if (this.live.size === 0) return;
      this.timer ??= this.options.clock.schedule(UPDATE_AFTER_MS, () => {
        this.timer = undefined;
        for (const each of this.live.values()) this.writeHosts(each.pod, each.place, names);
      });
    });
  }

  private writeHosts(pod: Pod, { podIp }: PodPlace, names: OpenNames | undefined): void {
    const { namespace = "", uid = "" } = pod.metadata;
    const peers = names?.peersFor(namespace) ?? [];
    const { nodeName } = this.options;
    const hostsOfNode = pod.spec.hostNetwork === true ? textOf("/etc/hosts") : "";
    write(this.filesOf(uid).hosts, composeHosts(pod, { podIp, nodeName, hostsOfNode, peers }));
  }
}

function readHostResolver(): ResolverConfig {
  return parseResolvConf(textOf("/etc/resolv.conf"));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const CREATE_OR_KEEP = constants.O_WRONLY | constants.O_CREAT;

/** New bytes first, then the end: whoever reads meanwhile finds no empty file. */
function write(file: string, text: string): void {
  const bytes = Buffer.from(text);
  const descriptor = openSync(file, CREATE_OR_KEEP, 0o644);
  try {
    writeSync(descriptor, bytes, 0, bytes.length, 0);
    ftruncateSync(descriptor, bytes.length);
  } finally {
    closeSync(descriptor);
  }
}
