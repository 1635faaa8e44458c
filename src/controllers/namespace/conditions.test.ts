import { expect, test } from "vitest";
import type { NamespaceCondition } from "../../api/generated/core.ts";
import { configMaps, jobs, pods } from "../../api/resources.ts";
import { composeConditions } from "./conditions.ts";
import { failedRemains, type Remains } from "./remains.ts";

const NOW = "2026-01-01T00:00:00Z";
const LATER = "2026-01-01T00:00:09Z";

function left(type: Remains["type"], count: number, finalizers: [string, number][] = []): Remains {
  return { type, count, finalizers: new Map(finalizers), estimateSeconds: 15 };
}

function shown(conditions: readonly NamespaceCondition[]): (string | undefined)[][] {
  return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
}

const fine = composeConditions([], [left(pods, 0)], NOW);

test("an empty namespace has five conditions that report no problem", () => {
  expect(shown(fine)).toEqual([
    [
      "NamespaceDeletionDiscoveryFailure",
      "False",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      "False",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      "False",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    ["NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"],
    ["NamespaceFinalizersRemaining", "False", "ContentRemoved", "All content successfully removed"],
  ]);
  for (const condition of fine) expect(condition.lastTransitionTime).toBe(NOW);
});

test("remaining objects and finalizers are counted, in a fixed order", () => {
  const remains = [
    left(pods, 2, [["z.example.com/a", 2]]),
    left(configMaps, 1),
    left(jobs, 3, [
      ["z.example.com/a", 1],
      ["a.example.com/b", 3],
    ]),
  ];
  expect(shown(composeConditions([], remains, NOW)).slice(3)).toEqual([
    [
      "NamespaceContentRemaining",
      "True",
      "SomeResourcesRemain",
      "Some resources are remaining: configmaps. has 1 resource instances, " +
        "jobs.batch has 3 resource instances, pods. has 2 resource instances",
    ],
    [
      "NamespaceFinalizersRemaining",
      "True",
      "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: " +
        "a.example.com/b in 3 resource instances, z.example.com/a in 3 resource instances",
    ],
  ]);
});

test("failures are reported in one condition", () => {
  const remains = [failedRemains(pods, "no pods", 0), failedRemains(configMaps, "forbidden", 0)];
  expect(shown(composeConditions([], remains, NOW))[2]).toEqual([
    "NamespaceDeletionContentFailure",
    "True",
    "ContentDeletionFailed",
    "Failed to delete all resource types, 2 remaining: forbidden, no pods",
  ]);
});

test("lastTransitionTime is the last change of status", () => {
  const two = composeConditions(fine, [left(pods, 2)], LATER);
  const one = composeConditions(two, [left(pods, 1)], "2026-01-01T00:00:20Z");
  const timeOf = (conditions: readonly NamespaceCondition[]) => conditions[3]?.lastTransitionTime;
  expect([timeOf(fine), timeOf(two), timeOf(one)]).toEqual([NOW, LATER, LATER]);
  expect(one[3]?.message).toContain("pods. has 1 resource instances");
});

test("unchanged conditions are returned as they are, and foreign ones are kept", () => {
  expect(composeConditions(fine, [left(configMaps, 0)], LATER)).toBe(fine);
  const other = { type: "example.com/Other", status: "True" };
  expect(composeConditions([other, ...fine], [left(pods, 1)], LATER)[0]).toBe(other);
});
