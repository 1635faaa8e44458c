/** What is composed is taken by a server that validates as Kubernetes does. */
import { expect, test } from "vitest";
import { configMaps, jobs, secrets } from "../../src/api/resources.ts";
import { localClient } from "../../src/client/local.ts";
import { composeRun } from "../../src/runs/compose/compose-run.ts";
import type { FailureOptions, RunRequest } from "../../src/runs/compose/run-request.ts";
import { aServer } from "../builders/server.ts";

const REQUEST: RunRequest = {
  name: "fruits",
  namespace: "default",
  suffix: "x7k2p",
  command: ["echo", "{F}"],
  list: listOf(3),
  parallelism: Number.POSITIVE_INFINITY,
};

function listOf(count: number) {
  return { parameters: ["F"], columns: [Array.from({ length: count }, (_, at) => `value ${at}`)] };
}

const CODES = Array.from({ length: 255 }, (_, at) => at + 1);

test.each<[string, Partial<RunRequest> & { readonly failure?: FailureOptions }]>([
  ["a list", {}],
  ["one item", { list: listOf(1) }],
  ["no attempts", { failure: { retries: 0 } }],
  ["many attempts", { failure: { retries: 2 ** 31 - 1 } }],
  ["more failures than items", { failure: { maxFailed: { count: 50 } } }],
  ["all failures", { failure: { maxFailed: { percent: 100 } } }],
  ["no failure", { failure: { maxFailed: { count: 0 }, halt: "soon" } }],
  ["all exit codes", { failure: { retryOn: CODES.slice(100), failOn: CODES.slice(0, 100) } }],
  ["restarts in place", { failure: { restart: "OnFailure", timeoutSeconds: 5 } }],
  ["a back-off", { failure: { backoff: { base: "0ms", cap: "0ms" } } }],
  ["a long time", { failure: { timeoutSeconds: 2 ** 31 - 1 } }],
  ["an index in a variable", { indexVariable: "I" }],
  ["a secret", { paramsIn: "secret" }],
  ["the longest name", { name: "f".repeat(61) }],
  [
    "an image, a directory and variables",
    {
      image: "busybox",
      workdir: "/data",
      environment: [{ name: "a.b", value: "$(x)" }],
    },
  ],
  ["as many items as there may be without a limit", { list: listOf(100_000) }],
  ["more items", { list: listOf(100_001) }],
  ["more items, none of which may fail", { list: listOf(100_001), failure: { halt: "now" } }],
])("%s", async (_, fields) => {
  const client = localClient(aServer());
  const { job, support } = composeRun({ ...REQUEST, ...fields });
  const created = await client.create(jobs, job);
  for (const object of support()) {
    if (object.kind === "Secret") await client.create(secrets, object);
    else await client.create(configMaps, object);
  }
  expect(created.spec.completions).toBe(job.spec.completions);
});
