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

/** "+1" creates, "+1 old" creates as it was, "-1" deletes. */
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
  ["the first pod first", {}, [], ["+0"]],
  ["the next one when the first is ready", {}, [aPod(0)], ["+1"]],
  ["no next one before", {}, [aPod(0, "unready")], []],
  ["a gap is filled first", {}, [aPod(0), aPod(2)], ["+1"]],
  ["all at once, in parallel", PARALLEL, [], ["+0", "+1", "+2"]],
  ["in parallel, nobody waits", PARALLEL, [aPod(0, "unready")], ["+1", "+2"]],
  ["from its first ordinal", { ordinals: { start: 5 }, replicas: 2 }, [aPod(5)], ["+6"]],
  ["a failed pod makes room", {}, [aPod(0, "failed")], ["-0"]],
  ["so does one that succeeded", {}, [aPod(0), aPod(1, "succeeded")], ["-1"]],
  ["a pod that leaves holds the others up", {}, [aPod(0, "leaving")], []],
  ["the highest goes first", { replicas: 1 }, [aPod(0), aPod(1), aPod(2)], ["-2"]],
  ["one after the other", { replicas: 1 }, [aPod(0), aPod(1), aPod(2, "leaving")], []],
  [
    "all at once, in parallel",
    { replicas: 1, ...PARALLEL },
    [aPod(0), aPod(1), aPod(2)],
    ["-2", "-1"],
  ],
  [
    "a sick one halts the shrinking",
    { replicas: 1 },
    [aPod(0), aPod(1), aPod(2, "unready")],
    ["-2"],
  ],
  [
    "unless a lower one is sicker",
    { replicas: 1 },
    [aPod(0), aPod(1, "unready"), aPod(2, "unready")],
    [],
  ],
  [
    "below the first ordinal, too",
    { replicas: 1, ordinals: { start: 1 } },
    [aPod(0), aPod(1)],
    ["-0"],
  ],
  ["the new template, from the top", {}, [old(0), old(1), old(2)], ["-2"]],
  ["one is replaced when the last is well", {}, [old(0), old(1), aPod(2, "unready")], []],
  ["then the next", {}, [old(0), old(1), aPod(2)], ["-1"]],
  ["down to the partition", rolling({ partition: 2 }), [old(0), old(1), aPod(2)], []],
  ["below it, made as it was", rolling({ partition: 2 }), [old(1), aPod(2)], ["+0 old"]],
  ["above it, made new", rolling({ partition: 1 }), [old(0), aPod(2)], ["+1"]],
  ["only by hand", { updateStrategy: { type: "OnDelete" } }, [old(0), old(1), old(2)], []],
  [
    "several at once where that is allowed",
    rolling({ maxUnavailable: 2 }),
    [old(0), old(1), old(2)],
    ["-2", "-1"],
  ],
  ["by share", rolling({ maxUnavailable: "67%" }), [old(0), old(1), old(2)], ["-2", "-1"]],
  [
    "counting those that are out",
    { ...PARALLEL, ...rolling({ maxUnavailable: 2 }) },
    [old(0), old(1), aPod(2, "unready")],
    ["-1"],
  ],
  [
    "one that is out costs nothing",
    { ...PARALLEL, ...rolling({ maxUnavailable: 1 }) },
    [old(0), old(1, "unready"), aPod(2)],
    ["-1"],
  ],
])("%s", (_, spec, pods, expected) => {
  expect(steps(aSet(spec), pods)).toEqual(expected);
});

test("ready is not enough before it has lasted", () => {
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

test("a pod that failed as soon as it was there is replaced a second later", () => {
  const failed = aPod(0, "failed");
  const metadata = { ...failed.metadata, creationTimestamp: "2026-01-01T00:01:00Z" };
  const pods = [{ ...failed, metadata }];
  const decideAt = (nowMs: number) => decide({ set: aSet(), pods, updateRevision: "new", nowMs });
  expect(decideAt(NOW_MS + 400)).toEqual({ actions: [], againInMs: 600 });
  expect(decideAt(NOW_MS + 1000)).toMatchObject({ actions: [{ kind: "delete" }] });
});
