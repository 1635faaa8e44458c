import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody, statefulSetBody } from "../../../test/builders/resources.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { PodDisruptionBudget } from "../../api/generated/policy.ts";
import { events, podDisruptionBudgets, pods, statefulSets } from "../../api/resources.ts";
import { disruptionController } from "./disruption-controller.ts";

const PLACE = { namespace: "default", name: "b" };
let work: AtWork;

afterEach(() => work.stop());

async function settled(): Promise<void> {
  for (let looks = 0; looks < 3; looks++) await work.settle();
}

async function aBudget(spec: object): Promise<void> {
  work = await startController(disruptionController);
  await work.client.create(podDisruptionBudgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: PLACE,
    spec: { selector: { matchLabels: { app: "x" } }, ...spec },
    status: {},
  } as unknown as PodDisruptionBudget);
  await settled();
}

interface PodTraits {
  readonly isReady?: boolean;
  readonly owner?: OwnerReference;
}

async function aPod(name: string, { isReady = true, owner }: PodTraits = {}): Promise<void> {
  const ownerReferences = owner ? [owner] : [];
  await work.client.create(pods, podBody({ name, labels: { app: "x" }, ownerReferences }));
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  await setStatus(name, { phase: "Running", conditions });
}

async function setStatus(name: string, status: object): Promise<void> {
  const place = { namespace: "default", name };
  await work.client.patch(pods, place, { type: "merge", subresource: "status", body: { status } });
  await settled();
}

const status = async () => (await work.client.get(podDisruptionBudgets, PLACE)).status;
const allowed = async () => (await status()).disruptionsAllowed;

test("healthy pods beyond minAvailable may be disrupted", async () => {
  await aBudget({ minAvailable: 1 });
  expect(await allowed()).toBe(0);
  await aPod("p");
  await aPod("q");
  await aPod("r", { isReady: false });
  expect(await status()).toMatchObject({
    observedGeneration: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 3,
    disruptionsAllowed: 1,
    conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
  });
  await setStatus("q", { conditions: [{ type: "Ready", status: "False" }] });
  expect(await status()).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ status: "False", reason: "InsufficientPods" }],
  });
});

test("a percentage in maxUnavailable refers to the expected number of pods", async () => {
  await aBudget({ maxUnavailable: "50%" });
  const labels = { app: "x" };
  const set = await work.client.create(
    statefulSets,
    statefulSetBody(
      { name: "web" },
      {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    ),
  );
  const { name = "", uid = "" } = set.metadata;
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name, uid, controller: true };
  for (const pod of ["web-0", "web-1"]) await aPod(pod, { owner });
  expect(await status()).toMatchObject({ expectedPods: 3, desiredHealthy: 1 });
  expect(await allowed()).toBe(1);
});

test("no disruption is allowed if the expected number of pods is unknown", async () => {
  await aBudget({ maxUnavailable: 1 });
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
  await aPod("p", { owner });
  expect(await status()).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ status: "False", reason: "SyncFailed" }],
  });
  const reasons = (await work.client.list(events)).items.map(({ reason }) => reason);
  expect(reasons).toContain("CalculateExpectedPodCountFailed");
});

test("a granted but unused eviction is available again later", async () => {
  await aBudget({ minAvailable: 1 });
  await aPod("p");
  await aPod("q");
  const now = "2026-01-01T00:00:00Z";
  const budget = await work.client.get(podDisruptionBudgets, PLACE);
  const charged = { ...budget.status, disruptionsAllowed: 0, disruptedPods: { p: now } };
  await work.client.updateStatus(podDisruptionBudgets, { ...budget, status: charged });
  await settled();
  expect(await status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 });
  work.server.clock.advance(120_000);
  await settled();
  expect(await status()).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 2 });
  expect((await status()).disruptedPods).toBeUndefined();
});

test("DisruptionTarget is set to False if the pod is not deleted in time", async () => {
  await aBudget({ minAvailable: 0 });
  await aPod("p");
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const target = { type: "DisruptionTarget", status: "True", reason: "R", lastTransitionTime };
  await setStatus("p", { conditions: [target] });
  work.server.clock.advance(120_000);
  await settled();
  const pod = await work.client.get(pods, { namespace: "default", name: "p" });
  expect(pod.status.conditions).toMatchObject([{ type: "DisruptionTarget", status: "False" }]);
});
