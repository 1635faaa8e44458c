/**
 * Where each pod of a node runs: as processes of the host or in a sandbox, with which address and
 * which files of its own. What only sandboxes need is made when the first of them comes.
 */
import { readFileSync } from "node:fs";
import type { Container, Pod } from "../api/generated/core.ts";
import { addressAt, type Cidr, formatAddress } from "../base/address.ts";
import type { Judgement } from "./admit.ts";
import { LOOPBACK_PODS, PodAddresses } from "./network/pod-addresses.ts";
import type { NetworkFiles, PodFiles } from "./network/pod-files.ts";
import { composeEngineRun, type EngineSurroundings } from "./runtimes/engine/compose-engine-run.ts";
import type { EngineName, EngineRun } from "./runtimes/engine/engine-run.ts";
import { containersOf } from "./runtimes/process/containers.ts";
import type { ProcessRuntime } from "./runtimes/process/process-runtime.ts";
import { imageNotice } from "./runtimes/process/refusals.ts";
import type { RuntimeName, SandboxNetwork, SandboxUser } from "./runtimes/runtime.ts";
import {
  type ChosenRuntime,
  chooseAllowedRuntime,
  type DefaultRuntime,
  type RuntimeMeasures,
} from "./runtimes/sandbox/choice.ts";
import { type ComposedSandbox, composeSandbox } from "./runtimes/sandbox/compose-sandbox.ts";
import { unreadMessages } from "./termination-message.ts";

export interface SandboxSettings {
  readonly defaultRuntime: DefaultRuntime;
  /** Of pods that have a network of their own. */
  readonly podCidr: Cidr;
  /** Of pods whose containers are an engine's. */
  readonly enginePodCidr: Cidr;
  /** Directories of the host that every sandbox has, and writes to. */
  readonly sharedPaths: readonly string[];
}

export interface PodRuntimesOptions extends SandboxSettings {
  /** Container engines that answer, the one for those who name none first. */
  readonly engines: readonly EngineName[];
  /** Of a shared server, as its Node says; undefined: all of them. */
  readonly allowedRuntimes: () => readonly string[] | undefined;
  readonly runtime: Pick<ProcessRuntime, "can" | "leave">;
  readonly strictLimits: boolean;
  readonly nodeName: string;
  /** Those of loopback are no use to other machines: there processes have that of the node. */
  readonly nodeAddress: string;
  /** Opened for the first pod that has files of its own. */
  readonly openFiles: () => Promise<PodFiles>;
  /** Whether an earlier server has left some. */
  readonly hasFiles: () => boolean;
}

/** The address of the network itself, and that of the host in it. */
const RESERVED = 2;

export class PodRuntimes {
  private readonly loopback = new PodAddresses(LOOPBACK_PODS);
  private readonly bridged: PodAddresses;
  private readonly engined: PodAddresses;
  private readonly files = new Map<string, NetworkFiles>();
  private readonly chosen = new Map<string, ChosenRuntime>();
  /** By UID, the addresses of pods that an earlier server started. */
  private readonly kept = new Map<string, string>();
  private readonly identity = ownUser();
  private opening: Promise<PodFiles> | undefined;
  private lastOwner: string | undefined;

  constructor(private readonly options: PodRuntimesOptions) {
    this.bridged = new PodAddresses({ cidr: options.podCidr, reserved: RESERVED });
    this.engined = new PodAddresses({ cidr: options.enginePodCidr, reserved: RESERVED });
  }

  private get ranges(): readonly PodAddresses[] {
    return [this.loopback, this.bridged, this.engined];
  }

  judge(pod: Pod): Judgement {
    const { runtime, refusal, warnings } = this.choose(pod);
    const unread = runtime === "process" ? unreadMessages(containersOf(pod.spec)) : [];
    const judgement = {
      ...(refusal === undefined ? {} : { refusal }),
      warnings: [...warnings, ...unread],
    };
    // Pods of one owner have the same images: to say it of one of them is enough.
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    const isNews = owner === undefined || owner !== this.lastOwner;
    this.lastOwner = owner;
    if (!isNews || isEngine(runtime)) return judgement;
    return { ...judgement, remarks: [imageNotice(pod, runtime)] };
  }

  /** Asked for several times in the life of a pod, whose answer does not change. */
  nameOf(pod: Pod): RuntimeName {
    return this.choose(pod).runtime;
  }

  /**
   * An earlier server started it: its runtime and its address are as they were then, even if this
   * server would choose others.
   */
  adopt(pod: Pod, runtime: RuntimeName | undefined): void {
    const uid = pod.metadata.uid ?? "";
    if (runtime !== undefined) this.chosen.set(uid, { runtime, warnings: [] });
    if (!pod.status.podIP) return;
    this.kept.set(uid, pod.status.podIP);
    for (const range of this.ranges) range.keep(pod);
  }

  /** Undefined where there is none left. */
  take(pod: Pod): string | undefined {
    const kept = this.kept.get(pod.metadata.uid ?? "");
    if (kept !== undefined) return kept;
    if (this.isContainer(pod)) return this.engined.take(pod);
    if (this.hasNetwork(pod)) return this.bridged.take(pod);
    const { nodeAddress } = this.options;
    return nodeAddress.startsWith("127.") ? this.loopback.take(pod) : nodeAddress;
  }

  release(uid: string): void {
    const isProcess = (this.chosen.get(uid)?.runtime ?? "process") === "process";
    this.chosen.delete(uid);
    this.kept.delete(uid);
    for (const range of this.ranges) range.release(uid);
    this.files.delete(uid);
    if (isProcess) return;
    this.options.runtime.leave(uid);
    // Also those that an earlier server has made.
    void this.open().then((files) => files.release(uid));
  }

  /** Undefined where there is nothing to wait for. */
  prepare(pod: Pod): Promise<boolean> | undefined {
    const uid = pod.metadata.uid ?? "";
    if (this.files.has(uid) || this.nameOf(pod) === "process") return undefined;
    return this.prepareFiles(pod, uid);
  }

  /** Whether its containers are those of an engine. */
  isContainer(pod: Pod): boolean {
    return isEngine(this.nameOf(pod));
  }

  /** Undefined for what is not a container. */
  engineOf(
    pod: Pod,
    container: Container,
    wanted: Pick<EngineSurroundings, "args" | "pullSecrets" | "tell">,
  ): EngineRun | undefined {
    const name = this.nameOf(pod);
    if (!isEngine(name)) return undefined;
    const files = this.files.get(pod.metadata.uid ?? "");
    const { nodeName, sharedPaths } = this.options;
    const around = { name, nodeName, sharedPaths, podIp: this.take(pod) ?? "", ...wanted };
    return composeEngineRun(pod, container, { ...around, ...(files ? { files } : {}) });
  }

  /** Undefined for a process of the host. */
  sandboxOf(pod: Pod, container: Container): ComposedSandbox | undefined {
    if (this.nameOf(pod) !== "sandbox") return undefined;
    const files = this.files.get(pod.metadata.uid ?? "");
    const network = this.networkOf(pod);
    const { nodeName, sharedPaths, allowedRuntimes } = this.options;
    return composeSandbox(pod, container, {
      nodeName,
      sharedPaths,
      // Only a shared server restricts runtimes: its people are not the users of the host.
      hidesHomes: allowedRuntimes() !== undefined,
      user: this.identity,
      users: readUsers,
      ...(network === undefined ? {} : { network }),
      ...(files === undefined ? {} : { files }),
    });
  }

  /** What was left by pods that nobody knows any more. */
  sweep(isKnown: (uid: string) => boolean): void {
    if (this.options.hasFiles()) void this.open().then((files) => files.sweep(isKnown));
  }

  close(): void {
    void this.opening?.then((files) => files.close());
  }

  private choose(pod: Pod): ChosenRuntime {
    const uid = pod.metadata.uid ?? "";
    const known = this.chosen.get(uid);
    if (known) return known;
    const { defaultRuntime, allowedRuntimes } = this.options;
    const chosen = chooseAllowedRuntime(pod, {
      fallback: defaultRuntime,
      allowed: allowedRuntimes(),
      measures: this.measures(),
    });
    this.chosen.set(uid, chosen);
    return chosen;
  }

  private measures(): RuntimeMeasures {
    const { runtime, strictLimits, engines } = this.options;
    const { enforcesCpu, enforcesMemory, sandbox } = runtime.can;
    const able = { ...ABLE, engines, strictLimits };
    return { ...able, identity: this.identity, enforcesCpu, enforcesMemory, sandbox };
  }

  /** Whether the host's own addresses of loopback are out of its reach. */
  hasOwnNetwork(pod: Pod): boolean {
    return this.hasNetwork(pod) || (this.isContainer(pod) && !pod.spec.hostNetwork);
  }

  private hasNetwork(pod: Pod): boolean {
    if (pod.spec.hostNetwork === true || this.nameOf(pod) !== "sandbox") return false;
    return this.options.runtime.can.sandbox.hasNetwork;
  }

  private networkOf(pod: Pod): SandboxNetwork | undefined {
    const { podCidr } = this.options;
    const address = this.hasNetwork(pod) ? this.take(pod) : undefined;
    if (address === undefined) return undefined;
    const gateway = formatAddress(addressAt(podCidr, 1));
    return { address, prefixLength: podCidr.prefixLength, gateway };
  }

  private open(): Promise<PodFiles> {
    this.opening ??= this.options.openFiles();
    return this.opening;
  }

  private async prepareFiles(pod: Pod, uid: string): Promise<boolean> {
    const files = await this.open();
    const podIp = this.take(pod) ?? "";
    const place = { podIp, hasOwnNetwork: this.hasOwnNetwork(pod) };
    this.files.set(uid, await files.prepare(pod, place));
    return true;
  }
}

function isEngine(name: RuntimeName): name is EngineName {
  return name !== "process" && name !== "sandbox";
}

const ABLE = {
  hooks: ["exec", "httpGet", "sleep", "tcpSocket"],
  probes: ["exec", "httpGet", "tcpSocket", "grpc"],
} as const;

function ownUser(): SandboxUser {
  return {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  };
}

function readUsers() {
  return { passwd: textOf("/etc/passwd"), group: textOf("/etc/group") };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
