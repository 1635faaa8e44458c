/**
 * Runs the life of a Job on a server in process; optionally its controller dies at a given call.
 */
import type { Client } from "../../src/api/client.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../src/api/generated/core.ts";
import { jobs, pods } from "../../src/api/resources.ts";
import { formatTime } from "../../src/api/time.ts";
import { silentLog } from "../../src/base/log.ts";
import type { ManualClock } from "../../src/base/manual-clock.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { seededRandom } from "../../src/base/random.ts";
import { localClient } from "../../src/client/local.ts";
import { garbageCollector } from "../../src/controllers/garbage/garbage-collector.ts";
import { jobController } from "../../src/controllers/job/job-controller.ts";
import { type Death, type MortalClient, mortalClient } from "../builders/mortal-client.ts";
import { jobBody, podBody } from "../builders/resources.ts";
import { aServer } from "../builders/server.ts";
import type { Act, Life } from "./job-lives.ts";

/** What must be the same whatever happens to the controller. */
export interface Outcome {
  readonly status: unknown;
  /** How many pods were started, by index or in order of creation. */
  readonly started: readonly string[];
  /** How many pods are left, and how many of them have a finalizer. */
  readonly left: string;
}

export interface Lived {
  readonly outcome: Outcome;
  readonly calls: number;
}

const NAME = { namespace: "default", name: "j" };
const ROUNDS = 8;
/** Longer than any back-off after so few failures; the deadline falls in between. */
const ROUND_MS = 45_000;

export async function live(life: Life, death?: Death): Promise<Lived> {
  const server = aServer();
  const client = localClient(server);
  const { clock } = server;
  const attendant = attend(client, clock, death);
  const collector = await garbageCollector([jobs, pods]).start({ client, ...contextOf(clock) });
  const nodes = new Nodes(client, clock, life);
  await attendant.settle(0);
  const { annotations = {}, spec } = life;
  await client.create(jobs, jobBody({ name: "j", annotations }, spec));
  for (let round = 0; round < ROUNDS; round++) {
    const act = life.acts?.[round];
    if (act) await perform(client, act);
    await attendant.settle(1_000);
    await nodes.work();
    await attendant.settle(ROUND_MS);
  }
  attendant.stop();
  collector.stop();
  return { outcome: await outcomeOf(client, nodes), calls: attendant.calls() };
}

interface Attendant {
  /**
   * Lets time pass and does everything that is due, with a new controller if the first has died.
   */
  settle(ms: number): Promise<void>;
  calls(): number;
  stop(): void;
}

function attend(client: Client, clock: ManualClock, death?: Death): Attendant {
  const stops: (() => void)[] = [];
  const start = (mortal: MortalClient): void => {
    const starting = jobController().start({ client: mortal, ...contextOf(clock) });
    stops.push(() => void starting.then((running) => running.stop()));
  };
  const stopAll = (): void => {
    for (const stop of stops.splice(0)) stop();
  };
  const first = mortalClient(client, death);
  let isReplaced = false;
  start(first);
  const breathe = async (): Promise<void> => {
    // The local client only awaits promises, all of which are settled by then.
    await new Promise((resolve) => setImmediate(resolve));
    if (!first.isDead() || isReplaced) return;
    isReplaced = true;
    stopAll();
    start(mortalClient(client));
    await breathe();
  };
  const settle = async (ms: number): Promise<void> => {
    const endMs = clock.monotonicMs() + ms;
    for (;;) {
      await breathe();
      const leftMs = endMs - clock.monotonicMs();
      const nextMs = Math.min(leftMs, clock.untilNextMs() ?? leftMs);
      clock.advance(nextMs);
      if (nextMs === leftMs && (clock.untilNextMs() ?? 1) > 0) break;
    }
    await breathe();
  };
  return { settle, calls: first.calls, stop: stopAll };
}

function contextOf(clock: ManualClock) {
  return { clock, random: seededRandom(2), log: silentLog, metrics: new Metrics() };
}

async function perform(client: Client, act: Act): Promise<void> {
  switch (act.kind) {
    case "edit":
      await client.patch(jobs, NAME, { type: "merge", body: { spec: act.spec } });
      return;
    case "annotate": {
      const body = { metadata: { annotations: act.annotations } };
      await client.patch(jobs, NAME, { type: "merge", body });
      return;
    }
    case "add pod":
      await client.create(pods, podBody({ name: "stray", labels: { app: "a" } }));
      return;
    case "relabel pod": {
      const [first] = (await client.list(pods, { labelSelector: "app=a" })).items;
      const body = { metadata: { labels: { app: "b" } } };
      if (first) await client.patch(pods, nameOf(first), { type: "merge", body });
      return;
    }
    default:
      await client.delete(jobs, NAME, { propagationPolicy: act.propagationPolicy });
  }
}

/** Starts every pod that it sees, and ends it as its life has planned. */
class Nodes {
  /** The started pods, by index. */
  readonly started = new Map<number, string[]>();

  constructor(
    private readonly client: Client,
    private readonly clock: ManualClock,
    private readonly life: Life,
  ) {}

  async work(): Promise<void> {
    const { items } = await this.client.list(pods, { namespace: "default" });
    const inOrder = [...items].sort((one, other) => revisionOf(one) - revisionOf(other));
    for (const pod of inOrder) await this.look(pod);
  }

  private async look(pod: Pod): Promise<void> {
    const { deletionTimestamp, uid = "" } = pod.metadata;
    const isOver = pod.status.phase === "Succeeded" || pod.status.phase === "Failed";
    if (deletionTimestamp !== undefined) {
      if (!isOver) await this.report(pod, ended(143, this.nowText()));
      await this.client.delete(pods, nameOf(pod), { gracePeriodSeconds: 0 });
      return;
    }
    if (isOver || this.knows(uid)) return;
    const index = completionIndexOf(pod) ?? this.started.size;
    const attempts = this.started.get(index) ?? [];
    this.started.set(index, [...attempts, uid]);
    const end = this.life.ends?.[index]?.[attempts.length] ?? 0;
    await this.report(pod, statusFor(end, this.nowText()));
  }

  private knows(uid: string): boolean {
    return [...this.started.values()].some((uids) => uids.includes(uid));
  }

  private async report(pod: Pod, status: PodStatus): Promise<void> {
    const body = { status };
    await this.client.patch(pods, nameOf(pod), { type: "merge", body, subresource: "status" });
  }

  private nowText(): string {
    return formatTime(this.clock.nowMs());
  }
}

type End = number | "runs on" | "restarts" | "disrupted";

function statusFor(end: End, at: string): PodStatus {
  const ready = { type: "Ready", status: "True" };
  switch (end) {
    case "runs on":
      return { phase: "Running", conditions: [ready] };
    case "restarts":
      return { phase: "Running", containerStatuses: [{ ...container({}), restartCount: 3 }] };
    case "disrupted":
      return { ...ended(137, at), conditions: [{ type: "DisruptionTarget", status: "True" }] };
    default:
      return ended(end, at);
  }
}

function ended(exitCode: number, finishedAt: string): PodStatus {
  const containerStatuses = [container({ terminated: { exitCode, finishedAt } })];
  return { phase: exitCode === 0 ? "Succeeded" : "Failed", containerStatuses };
}

function container(state: ContainerStatus["state"]): ContainerStatus {
  const fields = { name: "c", image: "", imageID: "", ready: false, restartCount: 0 };
  return { ...fields, state, lastState: {} };
}

async function outcomeOf(client: Client, { started }: Nodes): Promise<Outcome> {
  const left = (await client.list(pods, { namespace: "default" })).items;
  const found = (await client.list(jobs, { namespace: "default" })).items[0];
  const { conditions = [], startTime, completionTime, ...counts } = found?.status ?? {};
  const times = { hasStarted: startTime !== undefined, hasEnded: completionTime !== undefined };
  const told = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  return {
    status: found ? { ...counts, ...times, conditions: told } : "gone",
    started: [...started].map(([index, uids]) => `${index}: ${uids.length}`).sort(),
    left: `${left.length}, ${left.filter(({ metadata }) => metadata.finalizers).length} tracked`,
  };
}

function completionIndexOf({ metadata }: Pod): number | undefined {
  const index = metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
  return index === undefined ? undefined : Number(index);
}

function revisionOf({ metadata }: Pod): number {
  return Number(metadata.resourceVersion);
}

function nameOf({ metadata }: Pod): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
