/**
 * A pod that makes a hole of terabytes in its log: readers spend little on it, and can be stopped.
 */
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, stateOf } from "../agent/cluster.ts";

/** The hole uses no disk space. Reading all of it would take hours. */
const HOLE = "printf before; truncate -s 4T /dev/stdout; echo after";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.dispose());

test("the last lines of a log are found behind a hole", async () => {
  await cluster.createPod("sparse", { containers: [script(HOLE)] });
  await cluster.over("sparse");
  expect(await cluster.log("sparse", "tailLines=5")).toBe("after\n");
  expect(await cluster.log("sparse", "limitBytes=8")).toBe("before\0\0");
});

test("a container whose log ends with a hole is reported as terminated", async () => {
  const failed = { ...script(`${HOLE}; truncate -s 8T /dev/stdout; exit 3`) };
  const container = { ...failed, terminationMessagePolicy: "FallbackToLogsOnError" };
  await cluster.createPod("fails", { containers: [container] });
  expect(stateOf(await cluster.over("fails"))?.terminated?.exitCode).toBe(3);
  expect(await cluster.log("fails", "tailLines=5")).toBe("");
});

test("a server that is sending a hole stops on SIGTERM", async () => {
  const { url, token } = cluster.tally;
  const path = "/api/v1/namespaces/default/pods/sparse/log";
  const headers = { Authorization: `Bearer ${token}` };
  const sent = request(`${url}${path}`, { headers, rejectUnauthorized: false });
  const begun = new Promise<void>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      // The client reads as fast as it can until the server closes the connection.
      response.on("error", () => {});
      response.on("data", () => resolve());
    });
  });
  sent.end();
  await begun;
  expect(await cluster.tally.stop()).toBe(0);
});
