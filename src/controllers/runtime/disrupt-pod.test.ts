import { expect, test } from "vitest";
import { without } from "../../../test/builders/feature-gates.ts";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { DEFAULT_FEATURE_GATES } from "../../api/feature-gates.ts";
import { pods } from "../../api/resources.ts";
import { localClient } from "../../client/local.ts";
import { disruptPod } from "./disrupt-pod.ts";

const PLACE = { namespace: "default", name: "p" };
const DISRUPTION = { reason: "Why", message: "because" };

test.each([
  [
    "the DisruptionTarget condition is written before the pod is deleted",
    DEFAULT_FEATURE_GATES,
    ["DisruptionTarget"],
  ],
  [
    "no DisruptionTarget condition is written without the feature",
    without("PodDisruptionConditions"),
    [],
  ],
] as const)("%s", async (_, gates, expected) => {
  const client = localClient(aServer());
  const pod = await client.create(pods, podBody({ ...PLACE, finalizers: ["example.com/hold"] }));
  await disruptPod(client, pod, { disruption: DISRUPTION, gates, nowMs: 0 });
  const { metadata, status } = await client.get(pods, PLACE);
  expect((status.conditions ?? []).map(({ type }) => type)).toEqual(expected);
  expect(metadata.deletionTimestamp).toBeDefined();
});

test("disruptPod returns false if the pod is already gone", async () => {
  const client = localClient(aServer());
  const pod = await client.create(pods, podBody(PLACE));
  await client.delete(pods, PLACE);
  expect(await disruptPod(client, pod, { disruption: DISRUPTION, nowMs: 0 })).toBe(false);
});
