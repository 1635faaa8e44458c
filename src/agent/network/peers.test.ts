import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jobBody, podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { jobs, pods } from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { localClient } from "../../client/local.ts";
import { Peers } from "./peers.ts";

let server: TestServer;
let client: Client;
let peers: Peers;
let job: Job;
let begun: string[];

beforeEach(async () => {
  server = aServer();
  client = localClient(server);
  begun = [];
  const { clock, random } = server;
  const onReady = (uid: string) => begun.push(uid);
  peers = new Peers({ client, clock, random, log: silentLog, onReady });
  const spec = {
    completions: 3,
    parallelism: 3,
    completionMode: "Indexed",
    backoffLimitPerIndex: 1,
  };
  job = await client.create(jobs, jobBody({ name: "j" }, spec));
});

afterEach(() => peers.close());

async function aPod(index: number, spec: object = { subdomain: "svc" }): Promise<Pod> {
  const { uid = "" } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid, controller: true };
  const annotations = { "batch.kubernetes.io/job-completion-index": String(index) };
  const metadata = { name: `j-${index}`, annotations, ownerReferences: [owner] };
  return client.create(pods, podBody(metadata, { hostname: `j-${index}`, ...spec }));
}

async function addressed(index: number, phase = "Pending"): Promise<void> {
  const ip = `127.64.0.${index + 1}`;
  const status = { phase, podIP: ip, podIPs: [{ ip }] };
  const request = { type: "merge", subresource: "status", body: { status } } as const;
  await client.patch(pods, { namespace: "default", name: `j-${index}` }, request);
  await settled();
}

async function tellActive(active: number): Promise<void> {
  const status = { active, startTime: "2030-01-01T00:00:00Z" };
  const request = { type: "merge", subresource: "status", body: { status } } as const;
  await client.patch(jobs, { namespace: "default", name: "j" }, request);
  await settled();
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const uidOf = ({ metadata }: Pod) => metadata.uid ?? "";

describe("a pod of a Job whose pods know each other by name", () => {
  test("begins when all that are due have addresses, and not before", async () => {
    const [first, second] = [await aPod(0), await aPod(1)];
    expect([peers.mustWait(first), peers.mustWait(second)]).toEqual([true, true]);
    await addressed(0);
    await addressed(1);
    expect(begun).toEqual([]);
    const third = await aPod(2);
    expect(peers.mustWait(third)).toBe(true);
    await addressed(2);
    expect(begun.sort()).toEqual([first, second, third].map(uidOf).sort());
    expect(peers.mustWait(first)).toBe(false);
  });

  test("does not wait for indexes that are through", async () => {
    const { metadata } = job;
    const status = { completedIndexes: "0", succeeded: 1, failedIndexes: "2" };
    await client.updateStatus(jobs, { ...job, metadata, status } as unknown as Job);
    const pod = await aPod(1);
    expect(peers.mustWait(pod)).toBe(true);
    await addressed(1);
    expect(begun).toEqual([uidOf(pod)]);
  });

  test("does not wait for more than come: after a quiet second it begins", async () => {
    const pod = await aPod(0);
    expect(peers.mustWait(pod)).toBe(true);
    await addressed(0);
    server.clock.advance(999);
    await aPod(1);
    await addressed(1);
    await tellActive(2);
    server.clock.advance(999);
    expect(begun).toEqual([]);
    server.clock.advance(1);
    expect(begun).toEqual([uidOf(pod)]);
  });

  test.each([
    ["the Job has not told of all it made", 1, {}],
    ["another has a node and no address", 2, { nodeName: "n" }],
  ])("waits on where %s, and not forever", async (_why, active, spec) => {
    const pod = await aPod(0);
    await aPod(1, { subdomain: "svc", ...spec });
    await tellActive(active);
    expect(peers.mustWait(pod)).toBe(true);
    await addressed(0);
    server.clock.advance(29_000);
    expect(begun).toEqual([]);
    server.clock.advance(2_000);
    expect(begun).toEqual([uidOf(pod)]);
  });

  test("is forgotten in the Job it waited with, whatever its owner is by then", async () => {
    const [first, second] = [await aPod(0), await aPod(1)];
    for (const pod of [first, second]) peers.mustWait(pod);
    const { ownerReferences: _, ...metadata } = first.metadata;
    expect(peers.mustWait({ ...first, metadata })).toBe(false);
    peers.forget(uidOf(first));
    await aPod(2);
    for (const index of [0, 1, 2]) await addressed(index);
    expect(begun).toEqual([uidOf(second)]);
  });

  test("does not wait for a Job that is gone", async () => {
    const pod = await aPod(0);
    await client.delete(jobs, { namespace: "default", name: "j" }, { propagationPolicy: "Orphan" });
    const { uid } = job.metadata;
    const finalizers = { type: "merge", body: { metadata: { uid, finalizers: null } } } as const;
    await client.patch(jobs, { namespace: "default", name: "j" }, finalizers);
    expect(peers.mustWait(pod)).toBe(true);
    await settled();
    expect(begun).toEqual([uidOf(pod)]);
  });
});

test.each([
  ["without a domain", {}],
  ["on the network of its node", { subdomain: "svc", hostNetwork: true }],
])("a pod %s does not wait", async (_what, spec) => {
  expect(peers.mustWait(await aPod(0, spec))).toBe(false);
});
