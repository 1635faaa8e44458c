/**
 * A simulated node that follows a plan: it starts pods, reports their status, ends them, is
 * disrupted, and stops deleted pods within their grace period or long after it. Its processes
 * survive a crash of the server: it reports again what the server lost.
 */
import type { Client } from "../../src/api/client.ts";
import type { ContainerState, Pod, PodCondition, PodStatus } from "../../src/api/generated/core.ts";
import type { Draft, KubeObject } from "../../src/api/object.ts";
import { pods } from "../../src/api/resources.ts";
import { formatTime } from "../../src/api/time.ts";
import { bind } from "../../src/server/verbs/bind.ts";
import { evict } from "../../src/server/verbs/evict.ts";
import type { Surroundings } from "./connection.ts";
import { ownerOf } from "./history.ts";
import type { SimulatedServer } from "./server.ts";
import { type Fate, fateOf, type Plan } from "./shapes.ts";

interface Process {
  readonly fate: Fate;
  readonly name: string;
  state: "starting" | "running" | "ended";
  startedAt: string;
  isStopping: boolean;
  isDisrupted: boolean;
  restarts: number;
  end?: { readonly exitCode: number; readonly at: string };
}

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const RESTART_MS = 5_000;
const COMMITTED = { dryRun: false };

export class SimulatedNode {
  readonly #processes = new Map<string, Process>();
  readonly #attempts = new Map<string, number>();

  constructor(
    private readonly around: Surroundings,
    /** By the name of the Job; pods that a user added have no Job. */
    private readonly planOf: (pod: Pod) => Plan,
  ) {}

  /** Called during the write itself, so the work is done later. */
  onPod({ metadata }: Pod): void {
    this.#lookSoon(metadata.uid ?? "", metadata.name ?? "");
  }

  /** The server is up again, perhaps with fewer changes than before. */
  onServer(server: SimulatedServer): void {
    for (const { metadata } of server.store.list("pods").items) {
      this.#lookSoon(metadata.uid ?? "", metadata.name ?? "");
    }
  }

  #lookSoon(uid: string, name: string): void {
    this.around.clock.schedule(1, () => this.#look(uid, name));
  }

  #look(uid: string, name: string): void {
    const server = this.around.server();
    const pod = server?.store.get({ resource: "pods", namespace: "default", name }) as Pod;
    if (!server || pod?.metadata.uid !== uid) return;
    const process = this.#processes.get(uid);
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    const isOver = pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
    if (isOver) {
      if (isDeleted && pod.metadata.deletionGracePeriodSeconds !== 0) this.#remove(pod);
      return;
    }
    if (!process) this.#begin(uid, pod);
    else if (process.state !== "starting") this.#report(server, pod, process);
    if (isDeleted) this.#stop(uid, pod);
  }

  #begin(uid: string, pod: Pod): void {
    const index = pod.metadata.annotations?.[COMPLETION_INDEX];
    const family = `${ownerOf(pod)} ${index ?? ""}`;
    const attempt = this.#attempts.get(family) ?? 0;
    this.#attempts.set(family, attempt + 1);
    const fate = fateOf(this.planOf(pod), index === undefined ? undefined : Number(index), attempt);
    const name = pod.metadata.name ?? "";
    const fields = { state: "starting", startedAt: "", isStopping: false, isDisrupted: false };
    this.#processes.set(uid, { fate, name, restarts: 0, ...fields } as Process);
    this.#later(uid, fate.startMs, (process) => {
      if (process.isStopping || process.end) return;
      process.state = "running";
      process.startedAt = this.#now();
      this.#look(uid, name);
      this.#later(uid, fate.runMs, () => this.#run(uid, process));
    });
  }

  #run(uid: string, process: Process): void {
    if (process.isStopping || process.end) return;
    const { fate, name } = process;
    if (fate.disruption && !process.isDisrupted) {
      this.#disrupt(uid, process, fate.disruption);
      return;
    }
    const pod = this.#find(uid, name);
    const restarts = pod?.spec.restartPolicy === "OnFailure";
    const exitCode = restarts && process.restarts >= 3 ? 0 : fate.exitCode;
    if (restarts && exitCode !== 0) {
      process.restarts++;
      this.#look(uid, name);
      this.#later(uid, RESTART_MS, () => this.#run(uid, process));
      return;
    }
    this.#end(uid, process, exitCode);
  }

  #disrupt(uid: string, process: Process, how: "evicted" | "out of resources"): void {
    process.isDisrupted = true;
    if (how === "out of resources") {
      this.#end(uid, process, 137);
      return;
    }
    const { name } = process;
    const eviction = { metadata: { name, namespace: "default" } } as KubeObject;
    if (this.#find(uid, name)) {
      this.#act((_client, server) => evict(server, "default", name, eviction, COMMITTED));
    }
    // An evicted pod that still exists, because the server is down or lost the eviction, ends as
    // planned.
    this.#later(uid, process.fate.runMs, () => this.#run(uid, process));
  }

  #stop(uid: string, { metadata }: Pod): void {
    const process = this.#processes.get(uid);
    if (!process || process.isStopping || process.end) return;
    process.isStopping = true;
    const { stopMs, stopExitCode } = process.fate;
    const hasRun = process.state === "running";
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    this.#later(uid, graceMs === 0 ? 1 : stopMs, () => {
      this.#end(uid, process, hasRun ? stopExitCode : 137);
    });
  }

  #end(uid: string, process: Process, exitCode: number): void {
    if (process.end) return;
    process.end = { exitCode, at: this.#now() };
    process.state = "ended";
    this.#look(uid, process.name);
  }

  #report(server: SimulatedServer, pod: Pod, process: Process): void {
    const { name = "", uid = "" } = pod.metadata;
    if (pod.spec.nodeName === undefined && pod.metadata.deletionTimestamp === undefined) {
      const target = { apiVersion: "v1", kind: "Node", name: "n" };
      const metadata = { name, namespace: "default" };
      const binding = { apiVersion: "v1", kind: "Binding", metadata, target } as unknown;
      this.#act(() => bind(server, "default", name, binding as Draft<KubeObject>, COMMITTED));
    }
    const current = this.#find(uid, name);
    if (!current) return;
    const status = this.#statusOf(current, process);
    if (JSON.stringify(status) === JSON.stringify(current.status)) return;
    this.#act((client) => client.updateStatus(pods, { ...current, status }));
  }

  #statusOf({ status }: Pod, process: Process): PodStatus {
    const { end, startedAt, restarts, isDisrupted, fate } = process;
    const condition = (type: string, value: boolean): PodCondition => {
      const known = status.conditions?.find((each) => each.type === type);
      const text = value ? "True" : "False";
      if (known?.status === text) return known;
      return { type, status: text, lastProbeTime: null, lastTransitionTime: this.#now() };
    };
    const isOutOfResources = isDisrupted && fate.disruption === "out of resources";
    const others = (status.conditions ?? []).filter(({ type }) => type !== "Ready");
    const target = isOutOfResources ? [condition("DisruptionTarget", true)] : [];
    const kept = others.filter(({ type }) => target.length === 0 || type !== "DisruptionTarget");
    const ran = startedAt === "" ? {} : { startedAt };
    const state: ContainerState = end
      ? { terminated: { exitCode: end.exitCode, ...ran, finishedAt: end.at } }
      : { running: ran };
    const phase = end ? (end.exitCode === 0 ? "Succeeded" : "Failed") : "Running";
    return {
      ...status,
      phase,
      conditions: [...kept, ...target, condition("Ready", end === undefined)],
      containerStatuses: [
        {
          name: "c",
          state,
          lastState: {},
          ready: end === undefined,
          restartCount: restarts,
          image: "busybox:1.36",
          imageID: "",
        },
      ],
    };
  }

  #remove({ metadata }: Pod): void {
    const { name = "" } = metadata;
    const request = { gracePeriodSeconds: 0 };
    this.#act((client) => client.delete(pods, { namespace: "default", name }, request));
  }

  #find(uid: string, name: string): Pod | undefined {
    const key = { resource: "pods", namespace: "default", name };
    const pod = this.around.server()?.store.get(key) as Pod | undefined;
    return pod?.metadata.uid === uid ? pod : undefined;
  }

  #later(uid: string, delayMs: number, act: (process: Process) => void): void {
    this.around.clock.schedule(delayMs, () => {
      const process = this.#processes.get(uid);
      if (process) act(process);
    });
  }

  #act(act: (client: Client, server: SimulatedServer) => unknown): void {
    const server = this.around.server();
    if (!server) return;
    const done = this.around.perform("node", undefined, () => act(server.client, server));
    if (done instanceof Promise) done.catch((error) => this.around.note(`node: ${error.message}`));
  }

  #now(): string {
    return formatTime(this.around.clock.nowMs());
  }
}
