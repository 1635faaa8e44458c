import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod } from "../../../test/builders/job-pods.ts";
import type { Job } from "../../api/generated/batch.ts";
import { forgetPod, openScoreboard, recordPod, settleBoard } from "./scoreboard.ts";

const job: Job = aJob(INDEXED);
const failed = { phase: "Failed", exitCode: 1 };

test("a failure is recorded once, even if the board is rebuilt or the controller restarts", () => {
  const pod = aJobPod(job, { uid: "a", index: 0, ...failed });
  const board = openScoreboard(job, [pod]);
  settleBoard(board);
  expect(board.record.failures).toBe(1);
  recordPod(board, pod);
  settleBoard(board);
  expect(board.record.failures).toBe(1);
  const again = openScoreboard(job, [pod], board);
  settleBoard(again);
  expect(again.record.failures).toBe(1);
  const named: Job = { ...job, status: { uncountedTerminatedPods: { failed: ["a"] } } };
  const afterRestart = openScoreboard(named, [pod]);
  settleBoard(afterRestart);
  expect(afterRestart.record).toEqual(board.record);
});

test("a pod that has ended and is released is dropped", () => {
  const board = openScoreboard(job, []);
  recordPod(board, aJobPod(job, { uid: "a", index: 0, phase: "Running" }));
  recordPod(board, aJobPod(job, { uid: "a", index: 0, phase: "Succeeded" }));
  recordPod(board, aJobPod(job, { uid: "a", index: 0, phase: "Succeeded", isTracked: false }));
  expect(board.known.size).toBe(0);
  expect(board.completed.size).toBe(1);
});

test("the failed pod with the most recorded failures is retained until it is replaced", () => {
  const limited: Job = aJob({ ...INDEXED, backoffLimitPerIndex: 5 });
  const [first, second] = ["a", "b"].map((uid, counted) =>
    aJobPod(limited, { uid, index: 2, ...failed, failures: { counted, ignored: 0 } }),
  );
  const board = openScoreboard(limited, first && second ? [second, first] : []);
  settleBoard(board);
  expect(board.retained.get(2)?.uid).toBe("b");
  expect([...board.finished.keys()]).toEqual(["a"]);
  recordPod(board, aJobPod(limited, { uid: "c", index: 2 }));
  settleBoard(board);
  expect(board.retained.size).toBe(0);
  expect([...board.finished.keys()]).toEqual(["a", "b"]);
});

test("an index with one failed and one succeeded pod is completed", () => {
  const limited: Job = aJob({ ...INDEXED, backoffLimitPerIndex: 0 });
  const board = openScoreboard(limited, [aJobPod(limited, { index: 1, ...failed })]);
  expect(board.failed.size).toBe(1);
  recordPod(board, aJobPod(limited, { uid: "b", index: 1, phase: "Succeeded" }));
  forgetPod(board, "b");
  expect({ failed: board.failed.size, completed: board.completed.size }).toEqual({
    failed: 0,
    completed: 1,
  });
});
