import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod } from "../../../test/builders/job-pods.ts";
import type { Pod } from "../../api/generated/core.ts";
import { formatIndexes } from "../../api/index-set.ts";
import type { Cache } from "../../client/cache.ts";
import { newMemory } from "./memory.ts";
import { OWNER_INDEX, observe } from "./observe.ts";

function aCache(pods: readonly Pod[]): Cache<Pod> {
  return {
    get: (_namespace, name) => pods.find(({ metadata }) => metadata.name === name),
    list: () => pods,
    find: (index) => (index === OWNER_INDEX ? pods : []),
    onChange: () => ({ close: () => {} }),
    hasSeen: () => true,
    seen: async () => {},
    close: () => {},
  };
}

test.each([
  ["discarded if no status contains it", "", ""],
  ["kept if a status contains it", "0", "0"],
])("the result of a deleted pod is %s", (_case, written, completed) => {
  const job = aJob(INDEXED);
  const memory = newMemory(0);
  const pod = aJobPod(job, { uid: "a", index: 0, phase: "Succeeded" });
  expect(formatIndexes(observe(memory, job, aCache([pod])).board.completed)).toBe("0");

  memory.basis = { ...memory.basis, completed: written };
  memory.changed.set("a", undefined);
  const later = { ...job, status: { ...job.status, completedIndexes: written } };
  expect(formatIndexes(observe(memory, later, aCache([])).board.completed)).toBe(completed);
});
