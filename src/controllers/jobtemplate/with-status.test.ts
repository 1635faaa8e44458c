import { expect, test } from "vitest";
import { withStatus } from "./with-status.ts";

const bare = { apiVersion: "tallyjob.io/v1alpha1", kind: "Workflow", metadata: { name: "w" } };

test("an object without a status gets an empty one; others are unchanged", () => {
  expect(withStatus(bare as typeof bare & { status: object })).toEqual({ ...bare, status: {} });
  const known = { ...bare, status: { phase: "Running" } };
  expect(withStatus(known)).toBe(known);
});
