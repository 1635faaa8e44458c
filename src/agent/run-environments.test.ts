import { expect, test } from "vitest";
import { AgentAtWork } from "../../test/builders/agent.ts";
import { writtenJob } from "../../test/builders/job.ts";
import { storedPod } from "../../test/builders/pod.ts";
import type { Job } from "../api/generated/batch.ts";
import type { Pod, Secret } from "../api/generated/core.ts";
import { jobs, secrets } from "../api/resources.ts";
import { composeEnvironmentSecret, ENVIRONMENT } from "../api/run-environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { CacheListener } from "../client/cache.ts";
import type { Notice } from "./notice.ts";
import { RunEnvironments } from "./run-environments.ts";

const STORED = {
  variables: Buffer.from("PATH=/opt\0FOO=run\0"),
  workingDirectory: "/typed/here",
  umask: "0077",
  limits: "nofile=5:6",
};

const job = (uid: string, annotations = {}) =>
  ({ metadata: { name: "j", namespace: "ns", uid, annotations } }) as unknown as Job;
const secret = (name: string, stored = STORED): Secret =>
  composeEnvironmentSecret(stored, { name, namespace: "ns" });

function podOf(uid: string, owner: object = {}): Pod {
  const reference = { apiVersion: "batch/v1", kind: "Job", name: "j", uid, controller: true };
  const ownerReferences = [{ ...reference, ...owner }];
  return storedPod({
    metadata: { name: "p", namespace: "ns", uid: `pod-${uid}`, ownerReferences },
  });
}

/** Objects by name, with whoever listens to them. */
class Objects<T extends Job | Secret> {
  private readonly byName = new Map<string, T>();
  private readonly listeners: CacheListener<T>[] = [];

  get = (_namespace: string, name: string) => this.byName.get(name);

  onChange = (listener: CacheListener<T>) => {
    this.listeners.push(listener);
    return { close: () => {} };
  };

  put(object: T): void {
    this.byName.set(object.metadata.name ?? "", object);
    for (const listener of this.listeners) listener({ type: "ADDED", object });
  }
}

function world() {
  const jobs = new Objects<Job>();
  const secrets = new Objects<Secret>();
  const retried: string[] = [];
  const told: string[] = [];
  const clock = new ManualClock();
  const note = ({ reason, message }: Notice) => told.push(`${reason}: ${message}`);
  const environments = new RunEnvironments({
    jobs,
    secrets,
    own: [["FOO", "agent"]],
    clock,
    retry: (uid) => retried.push(uid),
    tell: (_pod, _type, notice) => note(notice),
    tellOfJob: (_job, notice) => note(notice),
  });
  return { jobs, secrets, retried, told, clock, environments };
}

test("a pod without a Job, and one whose Job names no environment, have the agent's own", () => {
  const { environments, jobs } = world();
  const own = { variables: [["FOO", "agent"]] };
  expect(environments.of(storedPod())).toEqual(own);
  expect(environments.of(podOf("u", { apiVersion: "batch.example.com/v1" }))).toEqual(own);
  jobs.put(job("u"));
  expect(environments.of(podOf("u"))).toEqual(own);
  expect(environments.mustWait(podOf("u"))).toBe(false);
});

test("a pod of a run has what is stored with it", () => {
  const { environments, jobs, secrets } = world();
  jobs.put(job("u", { [ENVIRONMENT]: "e" }));
  secrets.put(secret("e"));
  expect(environments.of(podOf("u"))).toMatchObject({
    variables: [
      ["PATH", "/opt"],
      ["FOO", "run"],
    ],
    workingDirectory: "/typed/here",
    settings: { umask: "0077", limits: "nofile=5:6" },
  });
});

test("a pod waits until its Job and the environment that this names are there", () => {
  const { environments, jobs, secrets, retried } = world();
  const pod = podOf("u");
  expect(environments.mustWait(pod)).toBe(true);
  jobs.put(job("former"));
  expect(environments.mustWait(pod)).toBe(true);
  jobs.put(job("u", { [ENVIRONMENT]: "e" }));
  secrets.put(secret("another"));
  expect([environments.mustWait(pod), retried]).toEqual([true, []]);
  secrets.put(secret("e"));
  expect([environments.mustWait(pod), retried]).toEqual([false, ["pod-u"]]);
});

test("an environment that does not come is told of once, after a moment", () => {
  const { environments, jobs, told, clock } = world();
  jobs.put(job("u", { [ENVIRONMENT]: "e" }));
  environments.mustWait(podOf("u"));
  expect(told).toEqual([]);
  clock.advance(5_000);
  expect(told).toEqual(['Failed: Error: the environment of its run: secret "e" not found']);
});

test("a Secret that is no environment is in the way, with the reason", () => {
  const { environments, jobs, secrets } = world();
  jobs.put(job("u", { [ENVIRONMENT]: "e" }));
  secrets.put({ ...secret("e"), type: "Opaque" });
  expect(environments.of(podOf("u"))).toMatchObject({
    problem: { message: expect.stringContaining('secret "e" is not of type') },
  });
});

test("limits that cannot be restored are told of once for each run", () => {
  const { environments, jobs, secrets, told } = world();
  for (const uid of ["u", "v"]) {
    jobs.put(job(uid, { [ENVIRONMENT]: uid }));
    secrets.put(secret(uid));
    for (let start = 0; start < 3; start++) {
      const found = environments.of(podOf(uid));
      if ("settings" in found) found.settings?.onUnmet?.(["nofile 9 (here 5)"]);
    }
  }
  expect(told).toHaveLength(2);
  expect(told[0]).toMatch(/^LimitsNotRestored: .*nofile 9 \(here 5\)$/);
});

test("an agent holds a pod of a run until its environment is stored", async () => {
  const at = await AgentAtWork.start();
  try {
    const metadata = { name: "j", namespace: "default", annotations: { [ENVIRONMENT]: "e" } };
    const created = await at.client.create(jobs, writtenJob(metadata));
    const { uid = "" } = created.metadata;
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid, controller: true };
    await at.create("p", { metadata: { ownerReferences: [owner] } });
    expect(at.runtime.requests).toEqual([]);
    await at.pass(200);
    expect(await at.stateOf("p")).toMatchObject({ waiting: { reason: "ContainerCreating" } });
    const stored = composeEnvironmentSecret(STORED, { name: "e", namespace: "default" });
    await at.client.create(secrets, stored);
    await at.settle();
    expect(at.runtime.requests).toMatchObject([
      { workingDirectory: "/typed/here", settings: { umask: "0077" } },
    ]);
    expect(at.runtime.requests[0]?.environment).toContainEqual(["FOO", "run"]);
  } finally {
    await at.crash();
  }
});
