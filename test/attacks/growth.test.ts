/** The work grows with the size of the body, not with its square. Steps are counted, not timed. */
import { expect, test } from "vitest";
import { isEqual } from "../../src/api/equal.ts";
import { configMapBody, podBody } from "../builders/resources.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { countSteps } from "../support/count-steps.ts";
import { GROWTHS, type Growth } from "./growth.ts";

const SMALL = 200;
const TIMES = 4;
/** n log n from 200 to 800 is a factor of 5.1; n² would be 16. */
const MOST_TIMES = 5.5;

function stepsOf({ method, path, contentType, body }: Growth, size: number): number {
  const server = aServer();
  ask(server, "POST", "/api/v1/namespaces/default/configmaps", configMapBody({ name: "grown" }));
  ask(server, "POST", "/api/v1/namespaces/default/pods", podBody({ name: "grown" }));
  const bytes = Buffer.from(JSON.stringify(body(size)));
  const headers = contentType === undefined ? {} : { contentType };
  return countSteps(() => {
    const { status, text } = ask(server, method, path, bytes, headers);
    expect(status, text.slice(0, 200)).toBeLessThan(500);
  });
}

test.each(GROWTHS.map((growth) => [growth.name, growth] as const))("%s", (_, growth) => {
  stepsOf(growth, 1);
  const fixed = stepsOf(growth, 1);
  const small = stepsOf(growth, SMALL) - fixed;
  const large = stepsOf(growth, SMALL * TIMES) - fixed;
  expect(large / Math.max(small, SMALL)).toBeLessThan(MOST_TIMES);
});

test.each([
  [1_000, true],
  [1_001, false],
])("%d managedFields in a request are accepted: %s", (sent, isTaken) => {
  const server = aServer();
  const entry = { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
  const managedFields = Array.from({ length: sent }, (_, at) => ({
    ...entry,
    manager: `m${at}`,
    fieldsV1: { "f:data": { [`f:k${at}`]: {} } },
  }));
  const data = Object.fromEntries(managedFields.map((_, at) => [`k${at}`, "v"]));
  const path = "/api/v1/namespaces/default/configmaps";
  const before = ask(server, "POST", path, { metadata: { name: "a" }, data }).object;
  const next = { metadata: { name: "a", managedFields }, data };
  const after = ask(server, "PUT", `${path}/a`, next).object;
  expect(after.metadata.managedFields).not.toEqual([]);
  expect(isEqual(after.metadata.managedFields, before.metadata.managedFields)).toBe(!isTaken);
});
