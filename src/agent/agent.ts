/**
 * The node agent: runs the pods that are bound to its node.
 *
 * Reading order: this file (what wakes a pod), pod-worker (one look at it), pod/ (what it needs and
 * looks like: pure), runs (begins and ends processes), compose-run with environment/, predecessors,
 * then runtimes/ and spawner/. The agent is a client like any other: it knows neither store nor
 * server, and could be a node of any Kubernetes.
 */
import type { Client } from "../api/client.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Container, Pod, Secret, Service } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import { runsAhead } from "../api/pods-ahead.ts";
import {
  configMaps as configMapType,
  jobs as jobType,
  pods as podType,
  secrets as secretType,
  services as serviceType,
} from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { type Cache, type CacheChange, openCache } from "../client/cache.ts";
import { KeyedWorker } from "../controllers/runtime/keyed-worker.ts";
import { after, done, type Outcome } from "../controllers/runtime/outcome.ts";
import { openRecorder, type RunningRecorder } from "../controllers/runtime/recorder.ts";
import { type Judgement, type Notice, podAdmission, type TellOfPod } from "./admit.ts";
import { composeRun, composeSurroundings, type Surroundings } from "./compose-run.ts";
import { Hooks } from "./hooks/hooks.ts";
import type { LogNews, LogStore } from "./logs/log-store.ts";
import { type Eviction, hasLife } from "./pod/facts.ts";
import { recallPod } from "./pod/recall.ts";
import { newRecord, type PodRecord } from "./pod-record.ts";
import { isDone, isThrough, type PodWork, workOnPod } from "./pod-worker.ts";
import { type LastWords, Runs } from "./runs.ts";
import type { Exit, RunId, Running, Runtime } from "./runtimes/runtime.ts";
import { Turns } from "./turns.ts";

export interface AgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly runtime: Runtime;
  readonly node: Surroundings["node"];
  readonly inherited: Surroundings["inherited"];
  readonly logs: Pick<LogStore, "begin" | "end" | "onNews">;
  /** What becomes of a run that prints more than it may: it goes on unheard, or is failed. */
  readonly onLogLimit: "cut" | "fail";
  readonly lastWords: LastWords;
  /** What the runtime can honour of a pod. */
  readonly judge: (pod: Pod) => Judgement;
}

export interface RunningAgent {
  /** Terminates the pods, and tells so, or leaves them to run and to be found again. */
  stop(options: { readonly leavesRunning: boolean }): Promise<void>;
}

/** Pods looked at at once: a look waits for nothing but its own write. */
const WORKERS = 256;

export async function openAgent(options: AgentOptions): Promise<RunningAgent> {
  const { client, clock, log, node } = options;
  const shared = { client, clock, log };
  const fieldSelector = `spec.nodeName=${node.name}`;
  // What ends while the caches fill is told to nobody a second time.
  const early: Exit[] = [];
  const listening = options.runtime.onExit((exit) => early.push(exit));
  const [recovered, pods, configMaps, secrets, services, jobs] = await Promise.all([
    options.runtime.recover(),
    openCache({ ...shared, type: podType, fieldSelector }),
    openCache({ ...shared, type: configMapType }),
    openCache({ ...shared, type: secretType }),
    openCache({ ...shared, type: serviceType }),
    openCache({ ...shared, type: jobType }),
  ]);
  const agent = new Agent(options, { pods, configMaps, secrets, services, jobs }, recovered);
  listening.close();
  for (const exit of early) agent.onExit(exit);
  return agent;
}

interface Caches {
  readonly pods: Cache<Pod>;
  readonly configMaps: Cache<ConfigMap>;
  readonly secrets: Cache<Secret>;
  readonly services: Cache<Service>;
  readonly jobs: Cache<Job>;
}

interface Recovered {
  readonly running: readonly Running[];
  readonly ended: readonly Exit[];
}

class Agent implements RunningAgent {
  private readonly records = new Map<string, PodRecord>();
  private readonly worker: KeyedWorker;
  private readonly recorder: RunningRecorder;
  private readonly hooks: Hooks;
  private readonly runs: Runs;
  private readonly work: PodWork;
  private readonly tell: TellOfPod;
  private readonly recovered: Map<string, Recovered>;
  private readonly turns = new Turns();
  /** While it stops: the pods that are still to end, and who waits for that. */
  private ending: Set<string> | undefined;
  private onQuiet: (() => void) | undefined;

  constructor(
    private readonly options: AgentOptions,
    private readonly caches: Caches,
    recovered: Recovered,
  ) {
    const { client, clock, log, logs, metrics, runtime, lastWords } = options;
    const { hostIp } = options.node;
    this.recovered = byPod(recovered);
    this.recorder = openRecorder({ ...options, component: "tally-agent" });
    const tell: TellOfPod = (pod, type, { reason, message, container }) =>
      this.recorder.event(pod, type, reason, message, fieldPathOf(pod, container));
    this.tell = tell;
    const wake = (uid: string) => this.worker.add(uid);
    const find = (uid: string) => this.records.get(uid);
    const around = this.surroundings();
    const compose = (pod: Pod, id: RunId) => composeRun(around, pod, id);
    const surround = (pod: Pod, container: Container) =>
      composeSurroundings(around, pod, container);
    const own = { client, clock, log, runtime };
    this.hooks = new Hooks({ ...own, surround, podIp: around.podIp, tell, wake });
    this.runs = new Runs({ ...own, hooks: this.hooks, logs, compose, lastWords, tell, wake, find });
    const addresses = { hostIp, podIp: hostIp };
    const runtimeName = runtime.name;
    const admit = podAdmission({ judge: options.judge, addresses, runtimeName, tell });
    const isOver = ({ pod }: PodRecord) => this.callNext(this.turns.leave(pod.metadata.uid ?? ""));
    this.work = { client, clock, runtime, runs: this.runs, admit, tell, isOver, untold: new Set() };
    const reconcile = (uid: string) => this.look(uid);
    const queue = { clock, log, metrics, name: "agent_pods", workers: WORKERS };
    this.worker = new KeyedWorker({ ...queue, reconcile });
    runtime.onExit((exit) => this.onExit(exit));
    logs.onNews((news) => this.onLogNews(news));
    caches.pods.onChange((change) => this.onPod(change), { existing: true });
    caches.configMaps.onChange(({ object }) => this.runs.retryHeld(object.metadata.namespace));
    caches.secrets.onChange(({ object }) => this.runs.retryHeld(object.metadata.namespace));
    caches.jobs.onChange(({ object }) => {
      const { metadata, spec } = object;
      this.callNext(this.turns.limit(metadata.uid ?? "", spec.parallelism ?? 1));
    });
    this.endStrays();
  }

  async stop({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<void> {
    if (!leavesRunning) await this.terminateAll();
    this.worker.stop();
    this.hooks.close();
    this.recorder.stop();
    for (const cache of Object.values(this.caches)) cache.close();
    await this.options.runtime.close({ leavesRunning });
  }

  private surroundings(): Surroundings {
    const { node, inherited, logs } = this.options;
    const { configMaps, secrets, services } = this.caches;
    return {
      node,
      podIp: node.hostIp,
      inherited,
      logFile: (pod, id) => logs.begin(pod, id),
      configMap: (namespace, name) => configMaps.get(namespace, name),
      secret: (namespace, name) => secrets.get(namespace, name),
      services: (namespace) =>
        namespace === "default"
          ? services.list("default")
          : [...services.list("default"), ...services.list(namespace)],
    };
  }

  private async look(uid: string): Promise<Outcome> {
    // Not inside the very write that woke it.
    await Promise.resolve();
    const record = this.records.get(uid);
    if (!record || this.ending?.has(uid) === false) return done;
    if (!record.isAdmitted && !this.hasTurn(uid, record)) return done;
    const againInMs = await workOnPod(this.work, record);
    if (isDone(record) && record.ended.length === 0) this.dismiss(uid, record);
    return againInMs === undefined ? done : after(againInMs);
  }

  /** A pod that is to go has waited long enough. */
  private hasTurn(uid: string, { pod, facts }: PodRecord): boolean {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job" || pod.metadata.deletionTimestamp !== undefined) return true;
    const job = this.caches.jobs.get(pod.metadata.namespace ?? "", owner.name);
    if (!job || job.metadata.uid !== owner.uid || !runsAhead(job)) return true;
    const limit = job.spec.parallelism ?? 1;
    if (!hasLife(facts)) return this.turns.take(owner.uid, uid, limit);
    this.turns.keep(owner.uid, uid, limit);
    return true;
  }

  private callNext(uids: readonly string[]): void {
    for (const uid of uids) this.worker.add(uid);
  }

  private dismiss(uid: string, record: PodRecord): void {
    this.records.delete(uid);
    this.callNext(this.turns.leave(uid));
    this.work.untold.delete(record);
    this.runs.dismiss(record);
    this.worker.forget(uid);
    if (this.ending?.delete(uid) && this.ending.size === 0) this.onQuiet?.();
  }

  private onPod({ type, object: pod }: CacheChange<Pod>): void {
    const uid = pod.metadata.uid ?? "";
    const known = this.records.get(uid);
    if (type === "DELETED") {
      if (!known) return;
      known.pod = pod;
      known.facts = { ...known.facts, isRemoved: true };
      this.worker.add(uid);
      return;
    }
    if (known) known.pod = pod;
    else if (this.ending || !this.isOwed(uid, pod)) return;
    else this.recall(uid, pod);
    this.worker.add(uid);
  }

  /** Of a pod that is over, changes are others' business, unless a run of it was found. */
  private isOwed(uid: string, pod: Pod): boolean {
    return !isThrough(pod) || this.recovered.has(uid);
  }

  private recall(uid: string, pod: Pod): void {
    const recovered = this.recovered.get(uid) ?? NOTHING;
    this.recovered.delete(uid);
    for (const { id } of recovered.running) this.options.logs.begin(pod, id);
    const facts = recallPod(pod, recovered, this.options.clock.nowMs());
    const ended = recovered.ended.map(({ id }) => id);
    const record = newRecord(pod, facts, ended);
    this.records.set(uid, record);
    this.runs.adopt(record);
    for (const exit of recovered.ended) {
      // What it printed while nobody looked may be more than it may.
      this.options.logs.begin(pod, exit.id);
      this.options.logs.end(exit.id);
      this.runs.hearOut(record, exit);
    }
  }

  onExit(exit: Exit): void {
    const { podUid } = exit.id;
    this.options.logs.end(exit.id);
    const record = this.records.get(podUid);
    if (!record) {
      this.options.runtime.forget(exit.id);
      this.runs.strayEnded(exit.id);
      return;
    }
    this.runs.ended(record, exit);
    this.worker.add(podUid);
  }

  private onLogNews(news: LogNews): void {
    if (news.kind === "disk") {
      if (news.isFull) this.tellOfFullDisk();
      return;
    }
    const { id } = news;
    const record = this.records.get(id.podUid);
    if (!record) return;
    const isFailed = this.options.onLogLimit === "fail";
    const notice = logLimitNotice(news, isFailed);
    this.tell(record.pod, "Warning", { ...notice, container: id.container });
    if (isFailed) this.runs.condemn(id, notice);
  }

  private tellOfFullDisk(): void {
    const alive = [...this.records.values()].filter(({ facts }) => hasLife(facts));
    for (const { pod } of alive.slice(0, MOST_TOLD)) this.tell(pod, "Warning", DISK_FULL);
  }

  /** Processes whose pods are gone: nobody asks for them any more. */
  private endStrays(): void {
    const { runtime, log } = this.options;
    for (const [podUid, { running, ended }] of this.recovered) {
      for (const { id } of ended) runtime.forget(id);
      for (const { id } of running) {
        log.warn("ending a process whose pod is gone", { podUid, container: id.container });
        this.runs.addStray(id);
        runtime.signal(id, "KILL").catch((error) => log.warn("it could not be ended", { error }));
      }
    }
    this.recovered.clear();
  }

  /** As a node that shuts down does: pods get their time, and are told to be failed. */
  private async terminateAll(): Promise<void> {
    const { clock } = this.options;
    const eviction: Eviction = { ...SHUTDOWN, sinceMs: clock.nowMs() };
    const ending = new Set<string>();
    for (const [uid, record] of this.records) {
      if (!hasLife(record.facts)) continue;
      record.facts = { ...record.facts, eviction };
      ending.add(uid);
    }
    // From here on nothing else is begun: what replaces these pods is for the next start.
    this.ending = ending;
    if (ending.size === 0) return;
    for (const uid of ending) this.worker.add(uid);
    await new Promise<void>((resolve) => {
      const timer = clock.schedule(SHUTDOWN_MS, resolve);
      this.onQuiet = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

const NOTHING: Recovered = { running: [], ended: [] };

/** A full disk takes few events itself. */
const MOST_TOLD = 100;
const DISK_FULL: Notice = {
  reason: "LogDiskFull",
  message: "the disk that holds the logs is full: what containers print is lost until it is not",
};

function logLimitNotice({ id, maxBytes }: LogLimitNews, isFailed: boolean): Notice {
  const limit = `container ${id.container} printed more than the ${maxBytes} bytes that are kept`;
  const what = isFailed ? "it is failed" : "what it prints from here on is discarded";
  return { reason: "LogLimitExceeded", message: `${limit} of one run: ${what}` };
}

type LogLimitNews = Extract<LogNews, { kind: "limit" }>;

/** As kubelet names one container of a pod. */
function fieldPathOf({ spec }: Pod, container: string | undefined): string | undefined {
  if (container === undefined) return undefined;
  const isInit = spec.initContainers?.some(({ name }) => name === container) === true;
  return `spec.${isInit ? "initContainers" : "containers"}{${container}}`;
}

const SHUTDOWN_GRACE_SECONDS = 5;
const SHUTDOWN_MS = 10_000;
const SHUTDOWN = {
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
  graceSeconds: SHUTDOWN_GRACE_SECONDS,
};

function byPod({ running, ended }: Recovered): Map<string, Recovered> {
  const found = new Map<string, { running: Running[]; ended: Exit[] }>();
  const of = (uid: string) => {
    const known = found.get(uid) ?? { running: [], ended: [] };
    found.set(uid, known);
    return known;
  };
  for (const run of running) of(run.id.podUid).running.push(run);
  for (const exit of ended) of(exit.id.podUid).ended.push(exit);
  return found;
}
