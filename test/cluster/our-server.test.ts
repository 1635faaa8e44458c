/** Our API server to a client we did not write: the Job controller of Kubernetes itself. */
import { expect } from "vitest";
import { playPatiently, recordedScenarios } from "../conformance/play-scenarios.ts";
import { startTally } from "../support/tally.ts";
import { startControllerManager } from "./kube-components.ts";
import { binaryTests } from "./with-cluster.ts";

const check = binaryTests();

check("Jobs go as recorded on our server under kube-controller-manager", async (context) => {
  const { binaries, atEnd } = context;
  const tally = await startTally({ args: ["--no-agent", "--controllers=none"] });
  atEnd(() => tally.dispose());
  const manager = await startControllerManager(binaries, tally.kubeconfig, UNLIMITED);
  atEnd(() => manager.stop("SIGKILL"));
  const { passed, failures } = await playPatiently(tally, "jobs.json");
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe((await recordedScenarios("jobs.json")).length);
});

const UNLIMITED = ["--kube-api-qps=10000", "--kube-api-burst=10000"];
