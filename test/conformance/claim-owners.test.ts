/**
 * The scenario of a test of Kubernetes 1.36, "should not delete PVCs when there is another
 * controller" (test/e2e/apps/statefulset.go), against `tally up`: this test plays the nodes.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OwnerReference } from "../../src/api/generated/meta.ts";
import { poll } from "../support/poll.ts";
import { type Answer, startTally, type Tally } from "../support/tally.ts";

const CONTROLLERS = "--controllers=garbage,namespace,serviceaccount,statefulset,storage";
const SETS = "/apis/apps/v1/namespaces/default/statefulsets";
const CORE = "/api/v1/namespaces/default";
const MERGE = { "Content-Type": "application/merge-patch+json" };

let tally: Tally;

beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent", CONTROLLERS] });
});

afterAll(() => tally.dispose());

async function patch(path: string, body: object): Promise<Answer> {
  const answer = await tally.call("PATCH", path, body, MERGE);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function create(path: string, body: object): Promise<Answer> {
  const answer = await tally.call("POST", path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer;
}

const claim = (ordinal: number) => `${CORE}/persistentvolumeclaims/data-web-${ordinal}`;

async function ownersOf(ordinal: number): Promise<readonly OwnerReference[]> {
  return (await tally.call("GET", claim(ordinal))).json.metadata.ownerReferences ?? [];
}

async function claims(): Promise<readonly string[]> {
  const { json } = await tally.call("GET", `${CORE}/persistentvolumeclaims`);
  return json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
}

/** Creates a StatefulSet of four ready pods, and returns its UID. */
async function aSetOfFour(): Promise<string> {
  const labels = { app: "web" };
  const resources = { requests: { storage: "1Mi" } };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "b" }] } };
  const { json } = await create(SETS, {
    metadata: { name: "web" },
    spec: {
      replicas: 4,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template,
      volumeClaimTemplates: [
        { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } },
      ],
    },
  });
  await poll(async () => (await tally.call("GET", `${CORE}/pods`)).json.items.length).toBe(4);
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: null }];
  for (const ordinal of [0, 1, 2, 3]) {
    await patch(`${CORE}/pods/web-${ordinal}/status`, { status: { phase: "Running", conditions } });
  }
  return json.metadata.uid;
}

test("claims with other owners survive their StatefulSet, and flags are restored", async () => {
  const uid = await aSetOfFour();
  const map = (await create(`${CORE}/configmaps`, { metadata: { name: "owner" } })).json.metadata;
  const external = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: map.uid };
  await patch(claim(1), { metadata: { ownerReferences: [external] } });
  const stale = {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", name: "unknown" },
    ...{ uid: "9d86d6ae-4e06-4ff1-bc55-f77f52e272e9", controller: true, blockOwnerDeletion: true },
  };
  const held = { ownerReferences: [stale], finalizers: ["keep-with/stale-ref"] };
  await patch(claim(3), { metadata: held });

  const deleted = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } };
  await patch(`${SETS}/web`, { spec: deleted });
  const own = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid };
  const managed = { ...own, controller: true, blockOwnerDeletion: true };
  for (const ordinal of [0, 2]) await poll(() => ownersOf(ordinal)).toEqual([managed]);
  await poll(() => ownersOf(1)).toEqual([external, managed]);
  expect(await ownersOf(3)).toEqual([stale]);

  await patch(claim(0), { metadata: { ownerReferences: [{ ...managed, controller: false }] } });
  const both = { whenDeleted: "Delete", whenScaled: "Delete" };
  await patch(`${SETS}/web`, { spec: { persistentVolumeClaimRetentionPolicy: both } });
  await poll(() => ownersOf(0)).toEqual([managed]);

  // Claims are protected while pods use them, and only this test plays the node.
  await tally.call("DELETE", `${SETS}/web`);
  for (const ordinal of [0, 1, 2, 3]) {
    await tally.call("DELETE", `${CORE}/pods/web-${ordinal}?gracePeriodSeconds=0`);
  }
  await poll(claims).toEqual(["data-web-1", "data-web-3"]);
});
