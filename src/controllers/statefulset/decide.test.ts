import { expect, test } from "vitest";
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";
import { decide } from "./decide.ts";

const NOW_MS = Date.parse("2026-01-01T00:01:00Z");
const READY_SINCE = "2026-01-01T00:00:50Z";

function aSet(spec: object = {}, status: object = {}): StatefulSet {
  return {
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status,
  } as unknown as StatefulSet;
}

type State = "ready" | "unready" | "pending" | "failed" | "succeeded" | "leaving";

function aPod(ordinal: number, state: State = "ready", revision = "new"): Pod {
  const phases = { failed: "Failed", succeeded: "Succeeded", pending: "Pending" };
  const isReady = state === "ready" || state === "leaving";
  return {
    metadata: {
      name: `web-${ordinal}`,
      labels: { "controller-revision-hash": revision },
      ...(state === "leaving" ? { deletionTimestamp: READY_SINCE } : {}),
    },
    status: {
      phase: phases[state as keyof typeof phases] ?? "Running",
      conditions: [
        { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: READY_SINCE },
      ],
    },
  } as unknown as Pod;
}

/** "+1" creates, "+1 old" creates with the current revision, "-1" deletes. */
function steps(set: StatefulSet, pods: readonly Pod[]): string[] {
  const observation = { set, pods, updateRevision: "new", nowMs: NOW_MS };
  return decide(observation).actions.flatMap((action) => {
    if (action.kind === "create") return [`+${action.ordinal}${action.isUpdated ? "" : " old"}`];
    return action.kind === "delete" ? [`-${action.pod.metadata.name?.slice(4)}`] : [];
  });
}

const PARALLEL = { podManagementPolicy: "Parallel" };
const old = (ordinal: number, state?: State) => aPod(ordinal, state, "old");
const rolling = (rollingUpdate: object) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate },
});

test.each<[string, object, readonly Pod[], readonly string[]]>([
  ["the first pod is created first", {}, [], ["+0"]],
  ["the next pod is created when the first is ready", {}, [aPod(0)], ["+1"]],
  ["no pod is created before the previous one is ready", {}, [aPod(0, "unready")], []],
  ["a gap is filled first", {}, [aPod(0), aPod(2)], ["+1"]],
  ["all at once, in parallel", PARALLEL, [], ["+0", "+1", "+2"]],
  ["in parallel, unready pods do not delay others", PARALLEL, [aPod(0, "unready")], ["+1", "+2"]],
  ["ordinals start at ordinals.start", { ordinals: { start: 5 }, replicas: 2 }, [aPod(5)], ["+6"]],
  ["a failed pod is deleted", {}, [aPod(0, "failed")], ["-0"]],
  ["a succeeded pod is deleted", {}, [aPod(0), aPod(1, "succeeded")], ["-1"]],
  ["a terminating pod delays the others", {}, [aPod(0, "leaving")], []],
  ["the highest ordinal is deleted first", { replicas: 1 }, [aPod(0), aPod(1), aPod(2)], ["-2"]],
  [
    "pods are deleted one after the other",
    { replicas: 1 },
    [aPod(0), aPod(1), aPod(2, "leaving")],
    [],
  ],
  [
    "all at once, in parallel",
    { replicas: 1, ...PARALLEL },
    [aPod(0), aPod(1), aPod(2)],
    ["-2", "-1"],
  ],
  [
    "an unhealthy pod is deleted when scaling down",
    { replicas: 1 },
    [aPod(0), aPod(1), aPod(2, "unready")],
    ["-2"],
  ],
  [
    "an unhealthy pod with a lower ordinal stops scaling down",
    { replicas: 1 },
    [aPod(0), aPod(1, "unready"), aPod(2, "unready")],
    [],
  ],
  [
    "pods below the first ordinal are deleted",
    { replicas: 1, ordinals: { start: 1 } },
    [aPod(0), aPod(1)],
    ["-0"],
  ],
  ["an update starts with the highest ordinal", {}, [old(0), old(1), old(2)], ["-2"]],
  [
    "no pod is replaced while the last one is not ready",
    {},
    [old(0), old(1), aPod(2, "unready")],
    [],
  ],
  ["the next pod is replaced when the last one is ready", {}, [old(0), old(1), aPod(2)], ["-1"]],
  ["an update stops at the partition", rolling({ partition: 2 }), [old(0), old(1), aPod(2)], []],
  [
    "below the partition a pod is recreated with the current revision",
    rolling({ partition: 2 }),
    [old(1), aPod(2)],
    ["+0 old"],
  ],
  [
    "above the partition a pod is created with the new revision",
    rolling({ partition: 1 }),
    [old(0), aPod(2)],
    ["+1"],
  ],
  [
    "with OnDelete no pod is replaced",
    { updateStrategy: { type: "OnDelete" } },
    [old(0), old(1), old(2)],
    [],
  ],
  [
    "maxUnavailable pods are replaced at once",
    rolling({ maxUnavailable: 2 }),
    [old(0), old(1), old(2)],
    ["-2", "-1"],
  ],
  [
    "maxUnavailable can be a percentage",
    rolling({ maxUnavailable: "67%" }),
    [old(0), old(1), old(2)],
    ["-2", "-1"],
  ],
  [
    "unavailable pods count against maxUnavailable",
    { ...PARALLEL, ...rolling({ maxUnavailable: 2 }) },
    [old(0), old(1), aPod(2, "unready")],
    ["-1"],
  ],
  [
    "replacing an unavailable pod does not count",
    { ...PARALLEL, ...rolling({ maxUnavailable: 1 }) },
    [old(0), old(1, "unready"), aPod(2)],
    ["-1"],
  ],
])("%s", (_, spec, pods, expected) => {
  expect(steps(aSet(spec), pods)).toEqual(expected);
});

test("a pod is not available before it was ready for minReadySeconds", () => {
  const set = aSet({ minReadySeconds: 30 });
  const observation = { set, pods: [aPod(0)], updateRevision: "new", nowMs: NOW_MS };
  expect(decide(observation)).toEqual({ actions: [], againInMs: 20_000 });
  const later = decide({ ...observation, nowMs: NOW_MS + 20_000 });
  expect(later.actions).toContainEqual({ kind: "create", ordinal: 1, isUpdated: true });
});

test("nothing is done for a set that is being deleted", () => {
  const set = aSet();
  const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: READY_SINCE } };
  const observation = { set: going, pods: [], updateRevision: "new", nowMs: NOW_MS };
  expect(decide(observation)).toEqual({ actions: [] });
});

test("a pod that failed immediately is replaced a second later", () => {
  const failed = aPod(0, "failed");
  const metadata = { ...failed.metadata, creationTimestamp: "2026-01-01T00:01:00Z" };
  const pods = [{ ...failed, metadata }];
  const decideAt = (nowMs: number) => decide({ set: aSet(), pods, updateRevision: "new", nowMs });
  expect(decideAt(NOW_MS + 400)).toEqual({ actions: [], againInMs: 600 });
  expect(decideAt(NOW_MS + 1000)).toMatchObject({ actions: [{ kind: "delete" }] });
});
