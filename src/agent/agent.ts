/**
 * The node agent: runs the pods that are bound to its node.
 *
 * Reading order: this file (what wakes a pod), pod-worker (one look at it), pod/ (what it needs and
 * looks like: pure), runs (begins and ends processes), compose-run with environment/, predecessors,
 * then runtimes/ and spawner/. The agent is a client like any other: it knows neither store nor
 * server, and could be a node of any Kubernetes.
 */
import type { Job } from "../api/generated/batch.ts";
import type { Container, Pod } from "../api/generated/core.ts";
import type { CacheChange } from "../client/cache.ts";
import { KeyedWorker } from "../controllers/runtime/keyed-worker.ts";
import { after, done, type Outcome } from "../controllers/runtime/outcome.ts";
import { openRecorder, type RunningRecorder } from "../controllers/runtime/recorder.ts";
import { podAdmission, type TellOfPod } from "./admit.ts";
import type { AgentOptions } from "./agent-options.ts";
import { type Caches, openCaches } from "./caches.ts";
import { CatchUp } from "./catch-up.ts";
import { composeRun, composeSurroundings, type Surroundings } from "./compose-run.ts";
import { describeRecord } from "./describe-record.ts";
import { fieldPathOf, findContainer } from "./find-container.ts";
import { Hooks } from "./hooks/hooks.ts";
import { JobGate } from "./job-gate.ts";
import { JobTurns } from "./job-turns.ts";
import { DISK_FULL, logLimitNotice, MOST_TOLD } from "./logs/log-notices.ts";
import type { LogNews } from "./logs/log-store.ts";
import { Peers } from "./network/peers.ts";
import { graceOf } from "./pod/endings.ts";
import { type Eviction, factsOf, hasLife } from "./pod/facts.ts";
import { recallPod } from "./pod/recall.ts";
import { podSeen } from "./pod/transitions.ts";
import { newRecord, type PodRecord } from "./pod-record.ts";
import { isDone, isThrough, type PodWork, workOnPod } from "./pod-worker.ts";
import { probeCarrier } from "./probes/carry-out.ts";
import { Probes } from "./probes/probes.ts";
import { byPod, NOTHING_RECOVERED, type Recovered, recoverRuns } from "./recovered.ts";
import { RunEnvironments } from "./run-environments.ts";
import type { ContainerNow, RunningAgent, StoppedPods } from "./running-agent.ts";
import { Runs } from "./runs.ts";
import type { Exit, RunId } from "./runtimes/runtime.ts";
import { surroundingsOf } from "./surround.ts";
import { openPodVolumes, type PodVolumes } from "./volumes/pod-volumes.ts";

/** Pods looked at at once: a look waits for nothing but its own write. */
const WORKERS = 256;

export async function openAgent(
  options: AgentOptions,
  recovering = recoverRuns(options.runtime),
): Promise<RunningAgent> {
  const { client, clock, log, node } = options;
  const [recovered, caches] = await Promise.all([
    recovering,
    openCaches({ client, clock, log }, node.name),
  ]);
  const agent = new Agent(options, caches, recovered);
  for (const exit of recovered.takeEarly()) agent.onExit(exit);
  return agent;
}

class Agent implements RunningAgent {
  private readonly records = new Map<string, PodRecord>();
  private readonly worker: KeyedWorker;
  private readonly recorder: RunningRecorder;
  private readonly hooks: Hooks;
  private readonly runs: Runs;
  private readonly probes: Probes;
  private readonly work: PodWork;
  private readonly tell: TellOfPod;
  private readonly around: Surroundings;
  private readonly environments: RunEnvironments;
  private readonly recovered: Map<string, Recovered>;
  private readonly peers: Peers;
  private readonly volumes: PodVolumes | undefined;
  private readonly gate: JobGate;
  private readonly turns: JobTurns;
  private readonly catchUp = new CatchUp();
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
    const findAddress = (pod: Pod) => this.findAddress(pod);
    const volumes = () => this.volumes;
    this.environments = this.openEnvironments();
    const inherited = (pod: Pod) => this.environments.of(pod);
    const around = surroundingsOf({ options, caches, volumes, findAddress, inherited, tell });
    this.around = around;
    const compose = (pod: Pod, id: RunId) => composeRun(around, pod, id);
    const surround = (pod: Pod, container: Container) =>
      composeSurroundings(around, pod, container);
    const own = { client, clock, log, runtime };
    this.hooks = new Hooks({ ...own, surround, podIp: around.podIp, tell, wake });
    this.peers = new Peers({ ...options, onReady: (uid) => this.tryAgain(uid) });
    const mustWait = (pod: Pod) => this.peers.mustWait(pod);
    const retry = (uid: string) => this.tryAgain(uid);
    this.volumes = openPodVolumes({ ...options, ...caches, tell, retry });
    const prepare = (pod: Pod) => this.prepare(pod);
    const mayBegin = (record: PodRecord) => this.gate.mayBegin(record);
    const findJob = (pod: Pod) => this.gate.findJob(pod);
    const formerPlaces = (pod: Pod) => this.gate.formerPlaces(pod);
    const held = { mustWait, mayBegin, formerPlaces, lastWords };
    const of = { hooks: this.hooks, logs, compose, prepare, ...held };
    this.runs = new Runs({ ...own, ...of, tell, wake, find });
    const addressesOf = (pod: Pod) => {
      const podIp = this.findAddress(pod);
      return podIp === undefined ? undefined : { hostIp, podIp };
    };
    const runtimeName = (pod: Pod) => options.places?.nameOf(pod) ?? runtime.name;
    const records = () => this.records.values();
    const hasStrays = () => this.runs.hasStrays;
    const gated = { nodeName: options.node.name, records, hasStrays, retry };
    this.gate = new JobGate({ ...own, ...caches, ...gated });
    this.turns = new JobTurns({ findJob, call: wake });
    const admit = podAdmission({ judge: options.judge, addressesOf, runtimeName, records, tell });
    const isOver = ({ pod }: PodRecord) => this.turns.leave(pod.metadata.uid ?? "");
    this.work = { ...own, runs: this.runs, admit, tell, wake, isOver, untold: new Set() };
    const carrier = probeCarrier({ ...own, ...options.probes, surround, podIp: around.podIp });
    this.probes = new Probes({ clock, carrier, tell, wake });
    const reconcile = (uid: string) => this.look(uid);
    const queue = { clock, log, metrics, name: "agent_pods", workers: WORKERS };
    this.worker = new KeyedWorker({ ...queue, reconcile });
    metrics.diagnostics.add("agent", () => [...this.records.values()].map(describeRecord));
    runtime.onExit((exit) => this.onExit(exit));
    logs.onNews((news) => this.onLogNews(news));
    caches.pods.onChange((change) => this.onPod(change), { existing: true });
    caches.configMaps.onChange(({ object }) => this.runs.retryHeld(object.metadata.namespace));
    caches.secrets.onChange(({ object }) => this.runs.retryHeld(object.metadata.namespace));
    caches.jobs.onChange((change) => this.onJob(change), { existing: true });
    this.endStrays();
    this.catchUp.begin();
    this.volumes?.sweep((uid) => this.records.has(uid));
    options.places?.sweep((uid) => this.records.has(uid));
  }

  get isCaughtUp(): Promise<void> {
    return this.catchUp.isDone;
  }

  async stop({ leavesRunning }: { readonly leavesRunning: boolean }): Promise<StoppedPods> {
    const pods = [...this.records.values()].filter(({ facts }) => hasLife(facts)).length;
    if (!leavesRunning) await this.terminateAll();
    this.worker.stop();
    this.hooks.close();
    this.probes.close();
    this.peers.close();
    this.recorder.stop();
    await this.volumes?.close({ leavesRunning });
    this.options.places?.close();
    for (const cache of Object.values(this.caches)) cache.close();
    await this.options.runtime.close({ leavesRunning });
    return { pods };
  }

  find({ metadata }: Pod, name: string): ContainerNow | undefined {
    const record = this.records.get(metadata.uid ?? "");
    const container = record && findContainer(record.pod, name);
    if (!record || !container) return undefined;
    const { pod, facts } = record;
    const { running, last } = factsOf(facts, name);
    return {
      container,
      running: running?.id,
      hasEnded: last !== undefined,
      podIp: facts.addresses?.podIp ?? this.options.node.hostIp,
      surroundings: () => composeSurroundings(this.around, pod, container),
    };
  }

  private openEnvironments(): RunEnvironments {
    const { clock, inherited: own } = this.options;
    return new RunEnvironments({
      ...this.caches,
      clock,
      own,
      retry: (uid) => this.tryAgain(uid),
      tell: this.tell,
      tellOfJob: (job, { reason, message }) => this.recorder.event(job, "Warning", reason, message),
    });
  }

  private tryAgain(uid: string): void {
    const record = this.records.get(uid);
    if (record) this.runs.tryAgain(record);
  }

  private onJob({ type, object: job }: CacheChange<Job>): void {
    this.turns.onJob(job);
    this.gate.onJob(job, type === "DELETED");
  }

  private findAddress(pod: Pod): string | undefined {
    const { node, places } = this.options;
    if (pod.spec.hostNetwork === true || places === undefined) return node.hostIp;
    return places.take(pod);
  }

  /** Undefined where there is nothing to wait for. Volumes last: they say when to try again. */
  private prepare(pod: Pod): Promise<boolean> | undefined {
    const usesImages = this.options.places?.isContainer(pod) ?? false;
    if (!usesImages && this.environments.mustWait(pod)) return Promise.resolve(false);
    const place = this.options.places?.prepare(pod);
    if (place === undefined) return this.volumes?.prepare(pod);
    return place.then((isReady) => isReady && (this.volumes?.prepare(pod) ?? true));
  }

  private async look(uid: string): Promise<Outcome> {
    // Not inside the very write that woke it.
    await Promise.resolve();
    const record = this.records.get(uid);
    if (!record || !this.isAtWorkOn(uid)) return done;
    if (!record.isAdmitted && !this.turns.has(record)) return done;
    const againInMs = await workOnPod(this.work, record);
    if (record.isProbed) this.probes.follow(record);
    if (isDone(record) && record.ended.length === 0) this.dismiss(uid, record);
    if (record.ended.length === 0 && record.reading === 0) this.catchUp.noteTold(uid);
    this.gate.stateDrained();
    return againInMs === undefined ? done : after(againInMs);
  }

  /** While it stops: the pods that it ends. An agent that only ends pods waits for its stop. */
  private isAtWorkOn(uid: string): boolean {
    return this.ending?.has(uid) ?? !this.options.onlyEnds;
  }

  private dismiss(uid: string, record: PodRecord): void {
    this.records.delete(uid);
    this.turns.leave(uid);
    this.environments.forget(uid);
    this.work.untold.delete(record);
    this.runs.dismiss(record);
    if (record.isProbed) this.probes.leave(uid);
    this.volumes?.release(uid);
    this.peers.forget(uid);
    this.gate.forget(uid);
    this.options.places?.release(uid);
    this.options.runtime.release?.(uid);
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
    if (!known && (this.ending || !this.isOwed(uid, pod))) return;
    const record = known ?? this.recall(uid, pod);
    record.pod = pod;
    record.facts = podSeen(record.facts, pod);
    // Pods that wait are looked at in the order in which they are called, not in which they came.
    if (record.isAdmitted || this.turns.has(record)) this.worker.add(uid);
  }

  /** Of a pod that is over, changes are others' business, unless a run of it was found. */
  private isOwed(uid: string, pod: Pod): boolean {
    return !isThrough(pod) || this.recovered.has(uid);
  }

  private recall(uid: string, pod: Pod): PodRecord {
    const recovered = this.recovered.get(uid) ?? NOTHING_RECOVERED;
    this.recovered.delete(uid);
    for (const { id } of recovered.running) this.options.logs.begin(pod, id);
    const facts = recallPod(pod, recovered, this.options.clock.nowMs());
    const ended = recovered.ended.map(({ id }) => id);
    const record = newRecord(pod, facts, ended);
    this.records.set(uid, record);
    if (ended.length > 0) this.catchUp.noteBehind(uid);
    // Before anybody else can be given what it has.
    const runs = [...recovered.running, ...recovered.ended];
    if (runs.length > 0) {
      this.options.places?.adopt(pod, runs.find(({ runtime }) => runtime !== undefined)?.runtime);
    }
    if (pod.status.podIP) this.findAddress(pod);
    this.runs.adopt(record, recovered.running);
    // What its volumes are made of may have changed meanwhile, and is followed again.
    if (hasLife(facts) && !this.options.onlyEnds) void this.volumes?.prepare(pod);
    for (const exit of recovered.ended) {
      // What it printed while nobody looked may be more than it may.
      this.options.logs.begin(pod, exit.id);
      this.options.logs.end(exit.id);
      this.runs.hearOut(record, exit);
    }
    return record;
  }

  onExit(exit: Exit): void {
    const { podUid } = exit.id;
    this.options.logs.end(exit.id);
    const record = this.records.get(podUid);
    if (!record) {
      this.options.runtime.forget(exit.id);
      this.runs.strayEnded(exit.id);
      this.gate.stateDrained();
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
    const sinceMs = clock.nowMs();
    const ending = new Set<string>();
    for (const [uid, record] of this.records) {
      // What has ended by itself is told as well: its runtime forgets it when it is closed.
      if (hasLife(record.facts) || record.ended.length > 0) ending.add(uid);
      if (!hasLife(record.facts)) continue;
      const graceSeconds = Math.min(SHUTDOWN_GRACE_SECONDS, graceOf(record.pod));
      const eviction: Eviction = { ...SHUTDOWN, graceSeconds, sinceMs };
      record.facts = { ...record.facts, eviction };
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

const SHUTDOWN_GRACE_SECONDS = 5;
const SHUTDOWN_MS = 10_000;
const SHUTDOWN = {
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
};
