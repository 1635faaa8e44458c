/**
 * The examples of Kubernetes' own documents, run as real processes: KEP-2214 and the pages on Jobs.
 * Programs in languages that may not be installed are rewritten in sh with the same behavior.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import { Cluster, until } from "./cluster.ts";
import * as examples from "./job-examples.ts";

const INDEX = "batch.kubernetes.io/job-completion-index";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const ENDED = { startTime: TIME, ready: 0, terminating: 0, uncountedTerminatedPods: {} };

vi.setConfig({ maxConcurrency: 32 });

let cluster: Cluster;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-documents-"));
  writeFileSync(path.join(directory, "process"), '#!/bin/sh\necho "process $1 $2"\n');
  chmodSync(path.join(directory, "process"), 0o755);
  cluster = await Cluster.start({ cwd: directory, args: ["--job-backoff-base=10ms"] });
});
afterAll(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

function condition(type: string, reason: string, message: string) {
  return { type, status: "True", lastProbeTime: TIME, lastTransitionTime: TIME, reason, message };
}

const COMPLETE = [
  condition(
    "SuccessCriteriaMet",
    "CompletionsReached",
    "Reached expected number of succeeded pods",
  ),
  condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods"),
];

function failed(reason: string, message: string) {
  return [condition("FailureTarget", reason, message), condition("Failed", reason, message)];
}

async function statusOf(name: string): Promise<Job["status"]> {
  return (await cluster.finished(name)).status;
}

describe.concurrent("KEP-2214, story 1", () => {
  const story = (name: string, restartPolicy: string, index: string) => `
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
  completions: 100
  parallelism: 100
  completionMode: Indexed
  template:
    spec:${restartPolicy}
      containers:
      - name: task
        image: registry.example.com/processing-image
        command: ["./process",  "--index", "${index}"]
`;
  const NEVER = "\n      restartPolicy: Never";

  test("the printed manifest is rejected with Kubernetes' message", async () => {
    const told = await cluster.tryWrittenJob(story("my-job", "", "$JOB_COMPLETION_INDEX"));
    const message = 'Required value: valid values: "OnFailure", "Never"';
    const field = "spec.template.spec.restartPolicy";
    const causes = [{ reason: "FieldValueRequired", message, field }];
    expect(told.json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `Job.batch "my-job" is invalid: ${field}: ${message}`,
      reason: "Invalid",
      details: { name: "my-job", group: "batch", kind: "Job", causes },
      code: 422,
    });
    expect(told.status).toBe(422);
  });

  test("with its errata fixed, it runs a process for each index", async () => {
    await cluster.createWrittenJob(story("my-job", NEVER, "$(JOB_COMPLETION_INDEX)"));
    expect(await statusOf("my-job")).toEqual({
      ...ENDED,
      conditions: COMPLETE,
      completionTime: TIME,
      succeeded: 100,
      completedIndexes: "0-99",
    });
    const pods = await cluster.podsOf("my-job");
    const logs = await Promise.all(pods.map(({ metadata }) => cluster.log(metadata.name ?? "")));
    const expected = pods.map(({ metadata }) => `process --index ${metadata.labels?.[INDEX]}\n`);
    expect(logs).toEqual(expected);
    expect(new Set(logs).size).toBe(100);
  });

  test("with half of its errata fixed, the process gets the name, not the number", async () => {
    const text = story("half", NEVER, "$JOB_COMPLETION_INDEX").replaceAll(": 100", ": 2");
    await cluster.createWrittenJob(text);
    expect((await statusOf("half")).completedIndexes).toBe("0,1");
    for (const { metadata } of await cluster.podsOf("half")) {
      expect(await cluster.log(metadata.name ?? "")).toBe(
        "process --index $JOB_COMPLETION_INDEX\n",
      );
    }
  });
});

describe.concurrent("pods and containers that fail", () => {
  test("the pod reports the exit code of its process, and each failure is counted", async () => {
    await cluster.createWrittenJob(examples.EXIT_CODE);
    expect(await statusOf("exits")).toEqual({
      ...ENDED,
      conditions: failed("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
      failed: 3,
    });
    const pods = await cluster.podsOf("exits");
    const codes = pods.map(({ status }) => {
      return status.containerStatuses?.[0]?.state.terminated?.exitCode;
    });
    expect(codes).toEqual([3, 3, 3]);
  });

  test("OnFailure restarts the container in its pod", async () => {
    const once = path.join(directory, "once");
    await cluster.createWrittenJob(examples.restartOnce(once));
    expect(await statusOf("again")).toEqual({
      ...ENDED,
      conditions: COMPLETE,
      completionTime: TIME,
      succeeded: 1,
    });
    const [pod, ...others] = await cluster.podsOf("again");
    expect(others).toEqual([]);
    expect(pod?.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: { terminated: { exitCode: 0, reason: "Completed" } },
      lastState: { terminated: { exitCode: 1, reason: "Error" } },
    });
    expect(await cluster.log(pod?.metadata.name ?? "")).toBe("second\n");
  });

  test("OnFailure fails the Job and deletes its pod when restarts reach the limit", async () => {
    await cluster.createWrittenJob(examples.RESTART_FOR_EVER);
    expect(await statusOf("enough")).toEqual({
      ...ENDED,
      conditions: failed("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
      failed: 1,
    });
    await until(async () => (await cluster.podsOf("enough")).length === 0);
  });

  test("a deadline ends the running processes", async () => {
    const note = path.join(directory, "note");
    await cluster.createWrittenJob(examples.withTimeout(note));
    await until(() => existsSync(note));
    await cluster.patchJob("pi-with-timeout", { spec: { activeDeadlineSeconds: 1 } });
    expect(await statusOf("pi-with-timeout")).toEqual({
      ...ENDED,
      conditions: failed("DeadlineExceeded", "Job was active longer than specified deadline"),
      failed: 1,
    });
    await until(() => readFileSync(note, "utf8") === "bye\n");
  });

  test("a suspended Job ends its pods, starts none, and continues when resumed", async () => {
    await cluster.createWrittenJob(examples.suspended(directory));
    writeFileSync(path.join(directory, "nap"), "600");
    const suspended = async (status: string) => {
      const { conditions = [] } = (await cluster.findJob("suspended")).status;
      return conditions.some((each) => each.type === "Suspended" && each.status === status);
    };
    await until(() => suspended("True"));
    expect(await cluster.podsOf("suspended")).toEqual([]);
    await cluster.patchJob("suspended", { spec: { suspend: false } });
    await until(async () => (await cluster.findJob("suspended")).status.ready === 1);
    await cluster.patchJob("suspended", { spec: { suspend: true } });
    await until(async () => (await cluster.podsOf("suspended")).length === 0);
    writeFileSync(path.join(directory, "nap"), "0");
    await cluster.patchJob("suspended", { spec: { suspend: false } });
    const resumed = condition("Suspended", "JobResumed", "Job resumed");
    expect(await statusOf("suspended")).toEqual({
      ...ENDED,
      conditions: [{ ...resumed, status: "False" }, ...COMPLETE],
      completionTime: TIME,
      succeeded: 2,
      completedIndexes: "0,1",
    });
  });
});

describe.concurrent("back-off limit per index", () => {
  test("the even indexes fail, and all indexes are tried", async () => {
    await cluster.createWrittenJob(examples.LIMIT_PER_INDEX);
    expect(await statusOf("job-backoff-limit-per-index-example")).toEqual({
      ...ENDED,
      conditions: failed("FailedIndexes", "Job has failed indexes"),
      succeeded: 5,
      failed: 10,
      completedIndexes: "1,3,5,7,9",
      failedIndexes: "0,2,4,6,8",
    });
  });

  test("exceeding maxFailedIndexes ends the other indexes", async () => {
    await cluster.createWrittenJob(examples.TOO_MANY_FAILED);
    expect(await statusOf("too-many")).toEqual({
      ...ENDED,
      conditions: failed(
        "MaxFailedIndexesExceeded",
        "Job has exceeded the specified maximal number of failed indexes",
      ),
      failed: 3,
      failedIndexes: "0,1",
    });
  });

  test("FailIndex fails an index without a retry", async () => {
    await cluster.createWrittenJob(examples.FAIL_INDEX);
    expect(await statusOf("job-backoff-limit-per-index-failindex")).toEqual({
      ...ENDED,
      conditions: failed("FailedIndexes", "Job has failed indexes"),
      succeeded: 2,
      failed: 3,
      completedIndexes: "2,3",
      failedIndexes: "0,1",
    });
  });
});

describe.concurrent("policies", () => {
  test("FailJob fails a Job when a process exits with the given code", async () => {
    await cluster.createWrittenJob(examples.FAIL_JOB);
    const { conditions, ...status } = await statusOf("job-pod-failure-policy-example");
    expect(status).toEqual({ ...ENDED, failed: 3 });
    const pod = "default/job-pod-failure-policy-example-\\w{5}";
    const rule = "failed with exit code 42 matching FailJob rule at index 0";
    const message = expect.stringMatching(`^Container main for pod ${pod} ${rule}$`);
    const told = { status: "True", reason: "PodFailurePolicy", message };
    expect(conditions).toMatchObject([
      { ...told, type: "FailureTarget" },
      { ...told, type: "Failed" },
    ]);
  });

  test("Ignore replaces an evicted pod and does not count it as a failure", async () => {
    const nap = path.join(directory, "ignore-nap");
    writeFileSync(nap, "600");
    await cluster.createWrittenJob(examples.ignoreDisruption(nap));
    const name = "job-pod-failure-policy-ignore";
    await until(async () => (await cluster.findJob(name)).status.ready === 1);
    writeFileSync(nap, "0");
    const [first] = await cluster.podsOf(name);
    await cluster.evictPod(first?.metadata.name ?? "");
    expect(await statusOf(name)).toEqual({
      ...ENDED,
      conditions: COMPLETE,
      completionTime: TIME,
      succeeded: 1,
    });
  });

  test("a success policy completes a Job and ends its remaining processes", async () => {
    await cluster.createWrittenJob(examples.SUCCESS);
    const met = "Matched rules at index 0";
    expect(await statusOf("job-success")).toEqual({
      ...ENDED,
      conditions: [
        condition("SuccessCriteriaMet", "SuccessPolicy", met),
        condition("Complete", "SuccessPolicy", met),
      ],
      completionTime: TIME,
      succeeded: 1,
      completedIndexes: "2",
    });
  });
});
