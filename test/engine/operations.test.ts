import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureCertificates, serverNames } from "../../src/access/certificates.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { startEngine } from "../../src/engine.ts";
import type { Engine, EngineOptions } from "../../src/engine-options.ts";
import { without } from "../builders/feature-gates.ts";
import { jobBody } from "../builders/resources.ts";
import { poll } from "../support/poll.ts";

const TOKEN = "secret";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

let directory: string;
let options: EngineOptions;
let engine: Engine | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-metrics-"));
  const names = serverNames(["127.0.0.1"]);
  const pki = join(directory, "pki");
  options = {
    dataDir: join(directory, "data"),
    address: "127.0.0.1",
    port: 0,
    controllers: "all",
    serviceCidr: "10.96.0.0/16",
    certificates: await ensureCertificates({ directory: pki, names, clock: systemClock }),
    token: TOKEN,
    log: silentLog,
  };
});
afterEach(async () => {
  await engine?.stop();
  await rm(directory, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly text: string;
}

function ask(path: string, { body, token = TOKEN }: { body?: object; token?: string } = {}) {
  const authorization = token === "" ? {} : { Authorization: `Bearer ${token}` };
  const headers = { ...authorization, "Content-Type": "application/json" };
  const { ca } = options.certificates;
  const method = body ? "POST" : "GET";
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(`${engine?.url}${path}`, { ca, method, headers, agent: false }, (got) => {
      let text = "";
      got.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      got.on("end", () => {
        resolve({ status: got.statusCode, contentType: got.headers["content-type"], text });
      });
    });
    sent.on("error", reject).end(body ? JSON.stringify(body) : "");
  });
}

async function jobOf(name: string): Promise<Job> {
  return JSON.parse((await ask(`${JOBS}/${name}`)).text) as Job;
}

test("/metrics needs the token, and reports Jobs and queues", async () => {
  engine = await startEngine(options);
  expect((await ask("/metrics", { token: "" })).status).toBe(403);
  expect((await ask("/metrics", { token: "guess" })).status).toBe(401);
  const spec = { completionMode: "Indexed", completions: 0, ttlSecondsAfterFinished: 0 };
  await ask(JOBS, { body: jobBody({ name: "j" }, spec) });
  const counted = /^ttl_after_finished_controller_job_deletion_duration_seconds_count 1$/m;
  await poll(async () => (await ask("/metrics")).text).toMatch(counted);
  const { status, contentType, text } = await ask("/metrics");
  expect({ status, contentType }).toEqual({
    status: 200,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  });
  const done = 'completion_mode="Indexed",result="succeeded"';
  for (const line of [
    `job_controller_jobs_finished_total{${done},reason="CompletionsReached"} 1`,
    `job_finished_total{${done}} 1`,
    `job_controller_job_pods_finished_total{${done}} 0`,
    "# TYPE job_controller_job_sync_duration_seconds histogram",
    "# TYPE ttl_after_finished_controller_job_deletion_duration_seconds histogram",
    'ttl_after_finished_controller_job_deletion_duration_seconds_bucket{le="819.2"} 1',
  ]) {
    expect(text).toContain(`\n${line}\n`);
  }
  const queues = [...text.matchAll(/^workqueue_adds_total\{name="([^"]+)"\}/gm)];
  expect(queues.map(([, name]) => name)).toEqual([
    "ClusterRoleAggregator",
    "cronjob",
    "disruption",
    "endpoint",
    "endpoint_slice",
    "garbage_collector_attempt_to_delete",
    "job",
    "job_orphan_pod",
    "namespace",
    "podgc",
    "root_ca_cert_publisher",
    "scheduledjob",
    "serviceaccount",
    "statefulset",
    "ttl_jobs_to_delete",
    "workflow",
  ]);
  const syncs = /^job_sync_total\{completion_mode="Indexed",result="success",action="\w+"\} \d+$/m;
  expect(text).toMatch(syncs);
});

test("the IndexedJob gate applies to both the API and the controller", async () => {
  engine = await startEngine(options);
  const spec = { completionMode: "Indexed", completions: 2, parallelism: 2 };
  await ask(JOBS, { body: jobBody({ name: "a" }, spec) });
  await poll(async () => (await jobOf("a")).status.active).toBe(2);
  await engine.stop();

  engine = await startEngine({ ...options, featureGates: without("IndexedJob") });
  const events = "/api/v1/namespaces/default/events?fieldSelector=reason=IndexedJobDisabled";
  const disabled = "Skipped Indexed Job sync because feature is disabled.";
  await poll(async () => (await ask(events)).text).toContain(disabled);
  await ask(JOBS, { body: jobBody({ name: "b" }, spec) });
  expect((await jobOf("b")).spec).not.toHaveProperty("completionMode");
  expect((await jobOf("a")).spec.completionMode).toBe("Indexed");
  await engine.stop();

  engine = await startEngine(options);
  await poll(async () => (await jobOf("b")).status.active).toBe(2);
  expect((await jobOf("a")).status).toMatchObject({ active: 2 });
});
