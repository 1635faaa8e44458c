/** A pod that gives its log a hole of terabytes: readers spend little on it, and can be stopped. */
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, stateOf } from "../agent/cluster.ts";

/** It takes nothing of the disk. To read it all takes hours. */
const HOLE = "printf before; truncate -s 4T /dev/stdout; echo after";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.dispose());

test("the last lines of a log come after its hole", async () => {
  await cluster.createPod("sparse", { containers: [script(HOLE)] });
  await cluster.over("sparse");
  expect(await cluster.log("sparse", "tailLines=5")).toBe("after\n");
  expect(await cluster.log("sparse", "limitBytes=8")).toBe("before\0\0");
});

test("a container whose log ends with a hole has an end", async () => {
  const failed = { ...script(`${HOLE}; truncate -s 8T /dev/stdout; exit 3`) };
  const container = { ...failed, terminationMessagePolicy: "FallbackToLogsOnError" };
  await cluster.createPod("fails", { containers: [container] });
  expect(stateOf(await cluster.over("fails"))?.terminated?.exitCode).toBe(3);
  expect(await cluster.log("fails", "tailLines=5")).toBe("");
});

test("a server that sends a hole stops when it is told to", async () => {
  const { url, token } = cluster.tally;
  const path = "/api/v1/namespaces/default/pods/sparse/log";
  const headers = { Authorization: `Bearer ${token}` };
  const sent = request(`${url}${path}`, { headers, rejectUnauthorized: false });
  const begun = new Promise<void>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      // The client takes all it can get until the server closes the connection.
      response.on("error", () => {});
      response.on("data", () => resolve());
    });
  });
  sent.end();
  await begun;
  expect(await cluster.tally.stop()).toBe(0);
});
