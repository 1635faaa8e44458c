/** The recorded life of Jobs on a real API server, with our controller in place of its own. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { playPatiently, recordedScenarios } from "../conformance/play-scenarios.ts";
import { startControllerManager } from "./kube-components.ts";
import { MANAGED_BY, startTallyController } from "./tally-controller.ts";
import { clusterTests } from "./with-cluster.ts";

const check = clusterTests();

check("Jobs that name it go as recorded under tally controller", async (context) => {
  const { binaries, cluster, atEnd } = context;
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const tally = await startTallyController(cluster.kubeconfig, ["--kube-api-qps", "0"]);
  atEnd(() => tally.stop("SIGKILL"));
  const patchJob = path.join(cluster.directory, "managed-by.json");
  await writeFile(patchJob, JSON.stringify({ spec: { managedBy: MANAGED_BY } }));
  const { passed, failures } = await playPatiently({ ...cluster, patchJob }, "jobs.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("jobs.json")).length);
});
