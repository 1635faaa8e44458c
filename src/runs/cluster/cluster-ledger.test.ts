import { expect, test } from "vitest";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { PlacedAttempt } from "../../ledger/attempt.ts";
import { clusterLedger, type RunSnapshot } from "./cluster-ledger.ts";

const JOB = {
  metadata: { name: "work", namespace: "default", uid: "job" },
  spec: { completionMode: "Indexed", completions: 5 },
  status: { completedIndexes: "0", failedIndexes: "1" },
} as unknown as Job;

function aPod(index: number, phase: string, exitCode?: number): Pod {
  const state = exitCode === undefined ? {} : { terminated: { exitCode, finishedAt: "t" } };
  return {
    metadata: {
      name: `work-${index}-x`,
      uid: `pod-${index}-${exitCode}`,
      annotations: { "batch.kubernetes.io/job-completion-index": String(index) },
      creationTimestamp: "2026-01-01T00:00:05Z",
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job", controller: true },
      ],
    },
    spec: {},
    status: { phase, containerStatuses: [{ name: "main", restartCount: 0, state, lastState: {} }] },
  } as unknown as Pod;
}

function aNote(index: number, exitCode: number): PlacedAttempt {
  const attempt = {
    outcome: "Failed",
    exitCode,
    podUID: `pod-${index}-${exitCode}`,
    jobUID: "job",
  };
  const created = "2026-01-01T00:00:00Z";
  return { jobName: "work", index, run: "~", created, attempt } as unknown as PlacedAttempt;
}

function aLedger(snapshot: Partial<RunSnapshot>) {
  let reads = 0;
  const read = async () => {
    reads++;
    return { job: JOB, pods: [], noted: undefined, isNoted: false, ...snapshot };
  };
  return { ledger: clusterLedger({ read, nowMs: () => 0 }), reads: () => reads };
}

const WORK = { namespace: "default", jobName: "work" };

test("attempts of pods and of the recorded ledger are merged, each once", async () => {
  const pods = [aPod(1, "Failed", 3), aPod(2, "Running"), aPod(3, "Failed", 4)];
  const attempts = [aNote(1, 2), aNote(1, 3), aNote(3, 5)];
  const { ledger, reads } = aLedger({ pods, noted: { attempts, isCut: false } });
  const { items } = await ledger.list(WORK);
  const shown = items.map(({ state, attempts: all }) => [state, all.map((each) => each.exitCode)]);
  expect(shown).toEqual([
    ["Succeeded", []],
    ["Failed", [2, 3]],
    ["Running", [undefined]],
    ["BackingOff", [5, 4]],
    ["Pending", []],
  ]);
  expect((await ledger.find(WORK, 1))?.attempts).toHaveLength(2);
  expect(await ledger.find(WORK, 5)).toBeUndefined();
  expect(reads()).toBe(1);
});

test("a snapshot older than the Job that the reader has seen is not used", async () => {
  const at = (resourceVersion: string): Job => {
    return { ...JOB, metadata: { ...JOB.metadata, resourceVersion } };
  };
  const snapshots: RunSnapshot[] = [
    { job: at("5"), pods: [aPod(1, "Failed", 3)], noted: undefined, isNoted: false },
    {
      job: at("9"),
      pods: [aPod(1, "Failed", 3), aPod(1, "Failed", 4)],
      noted: undefined,
      isNoted: false,
    },
  ];
  const left = [...snapshots];
  const ledger = clusterLedger({ read: async () => left.shift(), nowMs: () => 0 });
  const count = async (since?: string) => {
    const story = await ledger.find(WORK, 1, since === undefined ? {} : { since });
    return story?.attempts.length;
  };
  expect([await count(), await count("5")]).toEqual([1, 1]);
  expect([await count("7"), await count("9"), await count()]).toEqual([2, 2, 2]);
  expect(left).toEqual([]);
});

test("pages and states are those of any ledger", async () => {
  const { ledger } = aLedger({});
  const failed = await ledger.list(WORK, { state: "Failed" });
  expect(failed.items.map(({ index }) => index)).toEqual([1]);
  const first = await ledger.list(WORK, { limit: 2 });
  expect([first.items.length, first.next]).toEqual([2, "2"]);
  const rest = await ledger.list(WORK, { from: "2", limit: 10 });
  expect([rest.items.length, rest.next]).toEqual([3, undefined]);
});

/** A run whose pods are gone; each read returns the next snapshot. */
function aLedgerOf(snapshots: readonly Partial<RunSnapshot>[]) {
  const gone = { job: JOB, pods: [], noted: undefined, isNoted: true };
  let looks = 0;
  let nowMs = 0;
  const ledger = clusterLedger({
    read: async () => ({ ...gone, ...snapshots[Math.min(looks++, snapshots.length - 1)] }),
    nowMs: () => nowMs,
    pause: async (milliseconds) => {
      nowMs += milliseconds;
    },
  });
  return { ledger, looks: () => looks };
}

const WHOLE = { noted: { attempts: [aNote(0, 0), aNote(1, 3)], isCut: false } };

test("the reader waits until the attempts of deleted pods are noted", async () => {
  const part = { noted: { attempts: [aNote(1, 3)], isCut: false } };
  const { ledger, looks } = aLedgerOf([{}, part, WHOLE, {}]);
  const { items } = await ledger.list(WORK);
  expect(items.map(({ attempts }) => attempts.length)).toEqual([1, 1, 0, 0, 0]);
  expect(looks()).toBe(3);
});

test("the reader stops waiting after five seconds", async () => {
  const { ledger, looks } = aLedgerOf([{}]);
  expect((await ledger.list(WORK)).items.map(({ state }) => state)).toEqual([
    ...["Succeeded", "Failed", "Pending", "Pending", "Pending"],
  ]);
  expect(looks()).toBe(26);
});

const BEFORE = { "tallyjob.io/completed-indexes": "0", "tallyjob.io/failed-indexes": "1" };

test.each<[string, Partial<RunSnapshot>]>([
  ["no controller notes attempts", { isNoted: false }],
  ["the ledger is full", { noted: { attempts: [], isCut: true } }],
  ["a former Job settled the indexes", { job: aJobWith(BEFORE) }],
])("the reader does not wait if %s", async (_, snapshot) => {
  const { ledger, looks } = aLedgerOf([snapshot]);
  expect((await ledger.list(WORK)).items[0]?.attempts).toEqual([]);
  expect(looks()).toBe(1);
});

function aJobWith(annotations: { readonly [name: string]: string }): Job {
  return { ...JOB, metadata: { ...JOB.metadata, annotations } };
}
