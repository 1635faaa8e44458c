/** An agent on a server in process, with a manual clock and a runtime that starts no processes. */
import type { Judgement } from "../../src/agent/admit.ts";
import { openAgent } from "../../src/agent/agent.ts";
import type { LogNews } from "../../src/agent/logs/log-store.ts";
import type { RunningAgent } from "../../src/agent/running-agent.ts";
import type { RunId } from "../../src/agent/runtimes/runtime.ts";
import type { VolumeMeasures } from "../../src/agent/volumes/pod-volumes.ts";
import type { Client } from "../../src/api/client.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import type { ContainerState, Pod } from "../../src/api/generated/core.ts";
import type { OwnerReference } from "../../src/api/generated/meta.ts";
import { events, jobs, pods } from "../../src/api/resources.ts";
import { silentLog } from "../../src/base/log.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { findObject } from "../../src/client/find.ts";
import { localClient } from "../../src/client/local.ts";
import { INDEXED } from "./job.ts";
import { MemoryRuntime } from "./memory-runtime.ts";
import { type PodFields, writtenPod } from "./pod.ts";
import { aServer, type TestServer } from "./server.ts";

const NODE = "n";

export class AgentAtWork {
  readonly server: TestServer = aServer();
  readonly runtime = new MemoryRuntime(this.server.clock);
  judgement: Judgement = { warnings: [] };
  lastWords: string | undefined;
  onLogLimit: "cut" | "fail" = "cut";
  /** The runs whose logs were closed, and a hook that is called when one is closed. */
  readonly endedLogs: string[] = [];
  onLogEnd: (id: RunId) => void = () => {};
  tellLogNews: (news: LogNews) => void = () => {};
  /** How volumes are made; undefined: the agent has no volumes. */
  volumes: VolumeMeasures | undefined;
  /** A test can replace this client, to intercept the agent's requests. */
  client: Client = localClient(this.server);
  private agent: RunningAgent | undefined;

  static async start(prepare: (world: AgentAtWork) => void = () => {}): Promise<AgentAtWork> {
    const world = new AgentAtWork();
    prepare(world);
    await world.open();
    return world;
  }

  async open(): Promise<void> {
    const { clock, random } = this.server;
    this.agent = await openAgent({
      client: this.client,
      clock,
      random,
      log: silentLog,
      metrics: new Metrics(),
      runtime: this.runtime,
      node: { name: NODE, hostIp: "127.0.0.1", allocatable: { cpu: "2", memory: "1Gi" } },
      inherited: [],
      logs: {
        begin: (_pod, { container }) => `/logs/${container}.log`,
        end: (id) => {
          this.onLogEnd(id);
          this.endedLogs.push(`${id.podUid}/${id.container}/${id.attempt}`);
        },
        onNews: (listener) => {
          this.tellLogNews = listener;
          return { close: () => {} };
        },
      },
      onLogLimit: this.onLogLimit,
      lastWords: () => (this.lastWords === undefined ? undefined : Promise.resolve(this.lastWords)),
      judge: () => this.judgement,
      ...(this.volumes === undefined ? {} : { volumes: this.volumes }),
    });
    await this.settle();
  }

  /** Stops the agent as a crash would: its containers keep running. */
  async crash(): Promise<void> {
    await this.stop(true);
  }

  async stop(leavesRunning: boolean): Promise<void> {
    await this.agent?.stop({ leavesRunning });
  }

  /** Creates a pod on the node, with one container "c" that is never restarted. */
  async create(name: string, { metadata = {}, spec = {} }: PodFields = {}): Promise<string> {
    const whole = { nodeName: NODE, restartPolicy: "Never", containers: [CONTAINER], ...spec };
    const owned = await this.withOwners(metadata);
    const pod = writtenPod({ metadata: { name, ...owned }, spec: whole });
    const { metadata: created } = await this.client.create(pods, pod as Pod);
    await this.settle();
    return created.uid ?? "";
  }

  /**
   * Creates the Jobs that the pod names as owners: the agent does not start a pod without its Job.
   */
  private async withOwners(
    metadata: NonNullable<PodFields["metadata"]>,
  ): Promise<NonNullable<PodFields["metadata"]>> {
    const owners = (metadata["ownerReferences"] ?? []) as readonly OwnerReference[];
    const ownerReferences: OwnerReference[] = [];
    for (const owner of owners) {
      const uid = owner.uid === JOB_UID ? await this.jobUid(owner.name) : owner.uid;
      ownerReferences.push({ ...owner, uid });
    }
    return { ...metadata, ownerReferences };
  }

  private async jobUid(name: string): Promise<string> {
    const place = { namespace: "default", name };
    const template = { spec: { restartPolicy: "Never", containers: [CONTAINER] } };
    const spec = { ...INDEXED, completions: 100, template };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: place, spec, status: {} };
    const found = await findObject(this.client, jobs, place);
    const { metadata } = found ?? (await this.client.create(jobs, job as unknown as Job));
    return metadata.uid ?? "";
  }

  pod(name: string): Promise<Pod> {
    return this.client.get(pods, { namespace: "default", name });
  }

  /** The state of its first container. */
  async stateOf(name: string): Promise<ContainerState | undefined> {
    return (await this.pod(name)).status.containerStatuses?.[0]?.state;
  }

  async phaseOf(name: string): Promise<string | undefined> {
    return (await this.pod(name)).status.phase;
  }

  async isGone(name: string): Promise<boolean> {
    return this.pod(name).then(
      () => false,
      ({ reason }) => reason === "NotFound",
    );
  }

  async delete(name: string, gracePeriodSeconds: number): Promise<void> {
    await this.client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds });
    await this.settle();
  }

  /** Patches the pod's metadata, as a client would. */
  async edit(name: string, metadata: object): Promise<void> {
    const patch = { type: "merge", body: { metadata } } as const;
    await this.client.patch(pods, { namespace: "default", name }, patch);
    await this.settle();
  }

  async end(run: string, exitCode = 0): Promise<void> {
    this.runtime.end(run, exitCode);
    await this.pass(20);
  }

  /** All events, each as "REASON: MESSAGE". */
  async events(): Promise<readonly string[]> {
    await this.pass(0);
    const { items } = await this.client.list(events, { namespace: "default" });
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  }

  async pass(ms: number): Promise<void> {
    await this.settle();
    this.server.clock.advance(ms);
    await this.settle();
  }

  /** Waits until everything that can happen without time passing has happened. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const CONTAINER = { name: "c", image: "busybox:1.36", command: ["task"] };

/** A placeholder: `create` replaces it with the UID of the Job that the pod names as its owner. */
const JOB_UID = "the Job's";

/** The metadata of the pod of a Job at an index, as the Job controller creates it. */
export function ofIndex(index: number, job = "j"): NonNullable<PodFields["metadata"]> {
  return {
    annotations: { "batch.kubernetes.io/job-completion-index": `${index}` },
    ownerReferences: [
      { apiVersion: "batch/v1", kind: "Job", name: job, uid: JOB_UID, controller: true },
    ],
  };
}
