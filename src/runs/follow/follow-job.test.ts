import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Client, WatchHandlers } from "../../api/client.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { jobs } from "../../api/resources.ts";
import { clusterLedger } from "../cluster/cluster-ledger.ts";
import type { AttemptEnd } from "./attempt.ts";
import { type FollowEnd, followJob } from "./follow-job.ts";
import { RunBook } from "./run-book.ts";

const JOB = aJob(
  { ...INDEXED, backoffLimitPerIndex: 1 },
  { name: "work", namespace: "default", uid: "job" },
);
const FAILED: JobStatus = {
  failedIndexes: "1",
  conditions: [{ type: "Failed", status: "True", reason: "FailedIndexes" }],
};

function jobAt(resourceVersion: string, status: JobStatus): Job {
  return { ...JOB, metadata: { ...JOB.metadata, resourceVersion }, status };
}

function podAt(resourceVersion: string, fields: JobPodFields): Pod {
  const counted = fields.uid === "second" ? 1 : 0;
  const failures = { counted, ignored: 0 };
  const made = aJobPod(JOB, {
    index: 1,
    failures,
    ...fields,
    finishedAt: `2026-01-01T00:00:0${counted}Z`,
  });
  return { ...made, metadata: { ...made.metadata, resourceVersion } };
}

/** A cluster whose watches deliver events when a test says so. */
class FakeCluster {
  job: Job = jobAt("1", {});
  pods: readonly Pod[] = [];
  readonly ended: AttemptEnd[] = [];
  readonly following: Promise<FollowEnd>;
  private readonly opened: Promise<void>;
  private toldPods: WatchHandlers<Pod> | undefined;
  private toldJobs: WatchHandlers<Job> | undefined;

  constructor() {
    let open = (): void => {};
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    const client = {
      list: async (type: object) => {
        const items = type === jobs ? [this.job] : this.pods;
        return { items, resourceVersion: "1" };
      },
      watch: (type: object, _: object, handlers: unknown) => {
        if (type === jobs) this.toldJobs = handlers as WatchHandlers<Job>;
        else this.toldPods = handlers as WatchHandlers<Pod>;
        if (this.toldJobs && this.toldPods) open();
        return { close: () => {} };
      },
      durable: async () => {},
    } as unknown as Client;
    const read = async () => ({ job: this.job, pods: this.pods, noted: undefined, isNoted: false });
    const book = new RunBook({ ended: (end) => this.ended.push(end) });
    book.begin(this.job);
    this.following = followJob({
      client,
      ledger: clusterLedger({ read, nowMs: () => 0 }),
      book,
      job: { namespace: "default", name: "work", uid: this.job.metadata.uid ?? "" },
      itemAt: (index) => `item ${index}`,
      onNotice: () => {},
      onNews: () => {},
      signal: new AbortController().signal,
    });
  }

  /** The pod changes, and the watch delivers it. */
  async tellPod(pod: Pod): Promise<void> {
    this.havePod(pod);
    await this.opened;
    this.toldPods?.onEvent({ type: "MODIFIED", object: pod });
    await turn();
  }

  /** The pod changes, and the watch has not delivered it yet. */
  havePod(pod: Pod): void {
    this.pods = [...this.pods.filter(({ metadata }) => metadata.uid !== pod.metadata.uid), pod];
  }

  async tellJob(job: Job): Promise<void> {
    this.job = job;
    await this.opened;
    this.toldJobs?.onEvent({ type: "MODIFIED", object: job });
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function told({ ended }: FakeCluster) {
  return ended.map(({ attempt, pod, exitCode }) => [attempt, pod.uid, exitCode]);
}

test("the last attempt is reported if the Job ends before its pod is seen to end", async () => {
  const cluster = new FakeCluster();
  await cluster.tellPod(podAt("2", { uid: "first", phase: "Failed", exitCode: 3 }));
  await cluster.tellPod(podAt("3", { uid: "second", phase: "Running" }));
  cluster.havePod(podAt("4", { uid: "second", phase: "Failed", exitCode: 4 }));
  await cluster.tellJob(jobAt("5", FAILED));
  expect(await cluster.following).toBe("finished");
  expect(told(cluster)).toEqual([[2, "second", 4]]);
});

test("a failed index of a running Job is reported when its last attempt has arrived", async () => {
  const cluster = new FakeCluster();
  await cluster.tellPod(podAt("2", { uid: "first", phase: "Failed", exitCode: 3 }));
  await cluster.tellJob(jobAt("5", { failedIndexes: "1" }));
  expect(told(cluster)).toEqual([]);
  await cluster.tellPod(podAt("4", { uid: "second", phase: "Failed", exitCode: 4 }));
  await cluster.tellPod(
    podAt("6", { uid: "second", phase: "Failed", exitCode: 4, isTracked: false }),
  );
  expect(told(cluster)).toEqual([[2, "second", 4]]);
  await cluster.tellJob(jobAt("7", FAILED));
  expect(await cluster.following).toBe("finished");
  expect(told(cluster)).toEqual([[2, "second", 4]]);
});

test("the ledger is read again if it was read before the Job ended", async () => {
  const cluster = new FakeCluster();
  // The end of index 0 was not seen, so the ledger is read at the start.
  cluster.job = jobAt("1", { completedIndexes: "0" });
  await cluster.tellPod(podAt("2", { uid: "first", phase: "Failed", exitCode: 3 }));
  cluster.havePod(podAt("4", { uid: "second", phase: "Failed", exitCode: 4 }));
  await cluster.tellJob(jobAt("5", { completedIndexes: "0", ...FAILED }));
  expect(await cluster.following).toBe("finished");
  expect(told(cluster)).toEqual([[2, "second", 4]]);
});
