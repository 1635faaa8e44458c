/** Our API server with a client that we did not write: the Job controller of Kubernetes itself. */
import { expect } from "vitest";
import { startTally } from "../support/tally.ts";
import { startControllerManager } from "./kube-components.ts";
import { playJobs } from "./scenarios.ts";
import { binaryTests } from "./with-cluster.ts";

const check = binaryTests();

check("Jobs match the recordings on our server under kube-controller-manager", async (context) => {
  const { binaries, atEnd } = context;
  const tally = await startTally({ args: ["--no-agent", "--controllers=none"] });
  atEnd(() => tally.dispose());
  const manager = await startControllerManager(binaries, tally.kubeconfig, UNLIMITED);
  atEnd(() => manager.stop("SIGKILL"));
  const { passed, failures, total } = await playJobs(tally);
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe(total);
});

const UNLIMITED = ["--kube-api-qps=10000", "--kube-api-burst=10000"];
