import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { configMaps } from "../../api/resources.ts";
import { localClient } from "../../client/local.ts";
import { composeClusterRun } from "../compose/compose-cluster-run.ts";
import { SCRIPT } from "../compose/compose-manifests.ts";
import { readItems } from "./cluster-items.ts";

const FRUITS = ["apple", "it's", "two\nlines"];

function aRun(values: readonly string[]) {
  const list = { parameters: ["ITEM"], columns: [values] };
  const command = ["echo", "{ITEM}"];
  const base = { name: "fruits", namespace: "default", suffix: "x1", parallelism: 1 };
  return composeClusterRun({ ...base, image: "busybox", command, list }, { kind: "kubernetes" });
}

async function stored(
  change: (object: ConfigMap) => ConfigMap,
  values = FRUITS,
): Promise<{ client: Client; job: Job; objects: number }> {
  const client = localClient(aServer());
  const { job, before } = aRun(values);
  for (const object of before) await client.create(configMaps, change(object as ConfigMap));
  return { client, job, objects: before.length };
}

/** Nobody could read the list out of such a script. */
function withoutScript(object: ConfigMap): ConfigMap {
  return object.data?.[SCRIPT] ? { ...object, data: { ...object.data, [SCRIPT]: "" } } : object;
}

test("the list is stored beside the script, and items are read from it", async () => {
  const { client, job, objects } = await stored(withoutScript);
  expect(objects).toBe(1);
  expect([...(await readItems(client, job)).names()]).toEqual(["apple", "it's", '"two\\nlines"']);
});

test("a list that would make the object too large for kubectl apply has its own", async () => {
  const values = Array.from({ length: 3000 }, (_, n) => `${n} ${"x".repeat(60)}`);
  const { client, job, objects } = await stored(withoutScript, values);
  expect(objects).toBe(2);
  expect((await readItems(client, job)).valuesAt(2999)).toEqual([values[2999]]);
});

test("the items of a run of Tally 0.1 are read out of its script", async () => {
  const { client, job } = await stored((object) => ({
    ...object,
    data: { [SCRIPT]: object.data?.[SCRIPT] ?? "" },
  }));
  expect((await readItems(client, job)).find("it's")).toEqual([1]);
});
