/** A server with the Job controller on a manual clock; the test plays the nodes. */
import type { Client } from "../../src/api/client.ts";
import type { Feature } from "../../src/api/feature-gates.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { events, jobs, pods } from "../../src/api/resources.ts";
import { formatTime } from "../../src/api/time.ts";
import { silentLog } from "../../src/base/log.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { seededRandom } from "../../src/base/random.ts";
import { localClient } from "../../src/client/local.ts";
import {
  type JobControllerOptions,
  jobController,
} from "../../src/controllers/job/job-controller.ts";
import type { RunningController } from "../../src/controllers/runtime/controller.ts";
import { without } from "./feature-gates.ts";
import { jobBody } from "./resources.ts";
import { aServer } from "./server.ts";

export const JOB = { namespace: "default", name: "j" };

type Annotations = { readonly [annotation: string]: string };

export type JobCluster = Awaited<ReturnType<typeof aJobCluster>>;

export async function aJobCluster(
  options: JobControllerOptions = {},
  disturb: (client: Client) => Partial<Client> = () => ({}),
) {
  const server = { ...aServer(), gates: without() };
  const client = localClient(server);
  const metrics = new Metrics();
  const { clock } = server;
  const disturbed = { ...client, ...disturb(client) };
  const context = { client: disturbed, clock, random: seededRandom(2), log: silentLog, metrics };
  const start = () => jobController(options).start({ ...context, gates: server.gates });
  let running: RunningController = await start();
  const settle = async (ms = 600) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  const list = async () => (await client.list(pods, { namespace: "default" })).items;
  const active = async () =>
    (await list()).filter(({ status }) => ["Pending", "Running"].includes(status.phase ?? ""));
  const job = () => client.get(jobs, JOB);
  return {
    server,
    client,
    metrics,
    clock,
    settle,
    list,
    job,
    create: async (spec: { [field: string]: unknown }, annotations: Annotations = {}) => {
      const created = await client.create(jobs, jobBody({ name: "j", annotations }, spec));
      await settle();
      return created;
    },
    edit: async (spec: Partial<Job["spec"]>) => {
      await client.patch(jobs, JOB, { type: "merge", body: { spec } });
      await settle();
    },
    annotate: async (annotations: { readonly [annotation: string]: string | null }) => {
      const body = { metadata: { annotations } };
      await client.patch(jobs, JOB, { type: "merge", body });
      await settle();
    },
    /** The indexes of all pods that have not finished. */
    running: async () => (await active()).map(indexOf).sort((one, other) => one - other),
    /** Ends the unfinished pod of this index; without an index, any unfinished pod. */
    end: async (phase: "Succeeded" | "Failed", index?: number) => {
      const found = (await active()).find((pod) => index === undefined || indexOf(pod) === index);
      await endPod(client, found, phase, formatTime(clock.nowMs()));
      await settle();
    },
    /** Fails the pod as a node does that shuts down. */
    shutDown: async (index?: number) => {
      const found = (await active()).find((pod) => index === undefined || indexOf(pod) === index);
      const reason = "TerminationByKubelet";
      const conditions = [{ type: "DisruptionTarget", status: "True", reason }];
      await endPod(client, found, "Failed", formatTime(clock.nowMs()), { conditions });
      await settle();
    },
    stop: () => running.stop(),
    /** Restarts server and controller on the same store, with these features switched off. */
    restart: async (...off: readonly Feature[]) => {
      running.stop();
      server.gates = without(...off);
      running = await start();
      await settle();
    },
    reasons: async () =>
      (await client.list(events, { namespace: "default" })).items.map(({ reason }) => reason),
    /** The messages of BackOff events, which announce the delays after failures. */
    waits: async () =>
      (await client.list(events, { namespace: "default" })).items
        .filter(({ reason }) => reason === "BackOff")
        .map(({ message }) => message),
    warnings: async () =>
      (await client.list(events, { namespace: "default" })).items
        .filter(({ type }) => type === "Warning")
        .map(({ reason, message }) => `${reason}: ${message}`),
    conditions: async () =>
      ((await job()).status.conditions ?? []).map(({ type, reason }) => `${type}/${reason}`),
  };
}

export function indexOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.["batch.kubernetes.io/job-completion-index"]);
}

async function endPod(
  client: Client,
  pod: Pod | undefined,
  phase: "Succeeded" | "Failed",
  finishedAt: string,
  more: object = {},
): Promise<void> {
  const terminated = { exitCode: phase === "Failed" ? 1 : 0, finishedAt };
  const container = { name: "c", image: "", imageID: "", ready: false, restartCount: 0 };
  const containerStatuses = [{ ...container, state: { terminated } }];
  const body = { status: { phase, containerStatuses, ...more } };
  const name = { ...JOB, name: pod?.metadata.name ?? "" };
  await client.patch(pods, name, { type: "merge", body, subresource: "status" });
}
