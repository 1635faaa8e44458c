import { expect, test } from "vitest";
import { aJob, INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { aServer } from "../../../test/builders/server.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { emptyIndexes, parseIndexes } from "../../api/index-set.ts";
import { configMaps, jobs } from "../../api/resources.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import { storeList } from "../../api/work-list/stored-list.ts";
import { localClient } from "../../client/local.ts";
import { localLedger } from "../../server/ledger/local-ledger.ts";
import { deleteRun } from "./delete-run.ts";
import { composeRetry, retryRun } from "./retry-run.ts";

const FINISHED = {
  completedIndexes: "0,2",
  failedIndexes: "1,3-4",
  succeeded: 2,
  conditions: [
    { type: "FailureTarget", status: "True" },
    { type: "Failed", status: "True" },
  ],
};
const NAME = { namespace: "default", name: "fetch" };

test("the new Job has the spec of the old one and the results of the other items", () => {
  const annotations = { "tallyjob.io/paused": "3", "tallyjob.io/failures": "1@x", mine: "yes" };
  const former = { ...aJob({ ...INDEXED, parallelism: 0 }, { ...NAME, annotations }) };
  const job = composeRetry(
    { ...former, status: FINISHED },
    { wanted: set("1-2"), failed: set("1,3-4"), continues: ["first", "second"] },
  );
  expect(job.metadata).toEqual({
    name: "fetch",
    namespace: "ns",
    labels: {},
    annotations: {
      mine: "yes",
      "tallyjob.io/continues": "first,second",
      "tallyjob.io/done-before": "1",
      "tallyjob.io/failed-before": "2",
    },
  });
  expect(job.spec.selector).toBeUndefined();
  expect(job.spec.template.metadata?.labels).toEqual({});
  expect(job.spec).toMatchObject({ completions: 5, parallelism: 3 });
});

test("a retry of a finished run replaces its Job and keeps its list", async () => {
  const { client, ledger, job } = await aRun(FINISHED);
  const retried = await retryRun({ client, ledger }, job, {
    wanted: set("1"),
    failed: set("1,3-4"),
  });
  expect(retried.metadata.uid).not.toBe(job.metadata.uid);
  expect(retried.metadata.annotations?.["tallyjob.io/continues"]).toBe(job.metadata.uid);
  expect(retried.status).toMatchObject({ completedIndexes: "0,2", failedIndexes: "3,4" });
  const list = await client.get(configMaps, { ...NAME, name: "list" });
  expect(list.metadata.ownerReferences).toMatchObject([{ uid: retried.metadata.uid }]);
  expect(list.data?.["items"]).toBe('"a"\n"b"\n"c"\n"d"\n"e"');
});

test("an unfinished run is asked in addition to earlier requests", async () => {
  const { client, ledger, job } = await aRun({ completedIndexes: "0,2" });
  const engine = { client, ledger };
  const once = await retryRun(engine, job, { wanted: set("2"), failed: emptyIndexes() });
  const twice = await retryRun(engine, once, { wanted: set("0"), failed: emptyIndexes() });
  expect(twice.metadata.uid).toBe(job.metadata.uid);
  expect(twice.metadata.annotations?.["tallyjob.io/rerun-indexes"]).toBe("0,2");
});

test("without an engine a run is deleted with its list", async () => {
  const { client, job } = await aRun(FINISHED);
  await deleteRun(client, job, false);
  expect((await client.list(jobs, { namespace: "default" })).items).toEqual([]);
  const left = await client.list(configMaps, { namespace: "default" });
  expect(left.items.filter(({ metadata }) => metadata.name?.startsWith("list"))).toEqual([]);
});

async function aRun(status: object) {
  const server = aServer();
  const client = localClient(server);
  const annotations = { [WORK_LIST]: "list" };
  const spec = { ...INDEXED, backoffLimitPerIndex: 1, template: { spec: POD_SPEC } };
  const written = { apiVersion: "batch/v1", kind: "Job", metadata: { ...NAME, annotations }, spec };
  const created = await client.create(jobs, written as unknown as Job);
  const job = await client.updateStatus(jobs, {
    ...created,
    status: { startTime: "2026-01-01T00:00:00Z", ...status },
  });
  const { uid = "" } = job.metadata;
  const place = { name: "list", namespace: "default", kind: "ConfigMap" } as const;
  const list = { parameters: ["ITEM"], columns: [["a", "b", "c", "d", "e"]] };
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "fetch", uid, controller: true };
  for (const object of storeList(list, place)) {
    const metadata = { ...object.metadata, ownerReferences: [owner] };
    await client.create(configMaps, { ...object, metadata } as ConfigMap);
  }
  return { client, ledger: localLedger(server.store), job };
}

function set(text: string) {
  return parseIndexes(text, 5);
}
