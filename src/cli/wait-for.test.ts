import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { UsageError } from "../base/usage-error.ts";
import { parseFor } from "./wait-for.ts";

function job(...conditions: readonly object[]): KubeObject {
  const status = { conditions, phase: "Running", count: 3 };
  const object = { apiVersion: "batch/v1", kind: "Job", metadata: { generation: 2 }, status };
  return object as KubeObject;
}

const COMPLETE = { type: "Complete", status: "True" };
const FAILED = { type: "Failed", status: "True" };

test.each([
  ["condition=Complete", job(COMPLETE), true],
  ["condition=complete=TRUE", job(COMPLETE), true],
  ["condition=Complete=false", job(COMPLETE), false],
  ["condition=Complete", job({ ...COMPLETE, observedGeneration: 1 }), false],
  ["condition=Complete", job(FAILED), false],
  ["jsonpath={.status.phase}=Running", job(), true],
  ["jsonpath=.status.phase=Pending", job(), false],
  ["jsonpath={.status.phase}", job(), true],
  ["jsonpath={.status.none}", job(), false],
  ["jsonpath={.status.count}=3", job(), true],
  ["jsonpath={.status.conditions[?(@.type=='Failed')].status}=True", job(FAILED), true],
  ["finished", job(), false],
  ["finished", job(COMPLETE), true],
  ["finished", job(FAILED), true],
  ["delete", job(), false],
  ["delete", undefined, true],
  ["create", job(), true],
  ["create", undefined, false],
])("--for %s of %j: %s", (text, object, isMet) => {
  expect(parseFor(text).isMet(object)).toBe(isMet);
});

test.each(["", "done", "condition", "jsonpath={.a[x]}"])("--for %j is refused", (text) => {
  expect(() => parseFor(text)).toThrow(UsageError);
});
