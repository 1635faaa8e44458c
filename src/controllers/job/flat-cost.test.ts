/**
 * The cost of a sync, measured in reads of pod properties, must not depend on the size of the Job.
 */
import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { aJobPod } from "../../../test/builders/job-pods.ts";
import type { Pod } from "../../api/generated/core.ts";
import { decideJob } from "./decide.ts";
import { openScoreboard, recordPod, settleBoard } from "./scoreboard.ts";
import { composeStatus, settleStatus } from "./status.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 1);
const BACKOFF = { firstMs: 10_000, maxMs: 600_000 };

/** The number of property reads of pods in the sync after one of them has succeeded. */
function questionsAfterOneEnd(size: { completions: number; parallelism: number }): number {
  const { completions, parallelism } = size;
  const job = aJob({ completionMode: "Indexed", ...size });
  const half = Array.from({ length: completions / 2 }, (_, at) => at * 2);
  const done = { succeeded: half.length, completedIndexes: half.join(",") };
  const running = { ...job, status: { startTime: "2026-01-01T00:00:00Z", ...done } };
  let questions = 0;
  const asked = (pod: Pod): Pod =>
    new Proxy(pod, {
      get: (target, field) => {
        questions++;
        return Reflect.get(target, field) as unknown;
      },
    });
  const pods = Array.from({ length: parallelism }, (_, at) =>
    aJobPod(job, { uid: `p${at}`, index: at * 2 + 1, phase: "Running", isReady: true }),
  );
  const board = openScoreboard(running, pods.map(asked));
  settleBoard(board);
  questions = 0;
  const ended = { phase: "Succeeded", exitCode: 0, finishedAt: "2026-01-01T00:30:00Z" };
  recordPod(board, asked(aJobPod(job, { uid: "p3", index: 7, ...ended })));
  settleBoard(board);
  const observation = { job: running, board, nowMs: NOW_MS, backoff: BACKOFF };
  const decision = decideJob(observation);
  expect(decision.podChanges).toMatchObject({ kind: "create", pods: [{}] });
  const changed = { created: 1, removed: 0, removedReady: 0, errors: [] };
  const composed = composeStatus(observation, decision, changed);
  settleStatus(composed, new Set(["p3"]), NOW_MS);
  return questions;
}

test("a sync reads the pod that changed and no others", () => {
  const few = questionsAfterOneEnd({ completions: 1_000, parallelism: 10 });
  expect(few).toBeGreaterThan(0);
  expect(few).toBeLessThan(50);
  expect(questionsAfterOneEnd({ completions: 100_000, parallelism: 10 })).toBe(few);
  expect(questionsAfterOneEnd({ completions: 100_000, parallelism: 1_000 })).toBe(few);
});
