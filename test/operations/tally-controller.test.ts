/**
 * "tally controller" as an operator runs it: two of them on one server, and the flags they reject.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MANAGED_BY, startTallyController } from "../cluster/tally-controller.ts";
import { poll } from "../support/poll.ts";
import { projectFile } from "../support/project-file.ts";
import { startTally } from "../support/tally.ts";
import { createJob, hasEnded, jobOf, podsOf, succeedAll } from "./job-client.ts";

const SOON = { timeout: 60_000, interval: 50 };
const QUICK = [
  "--leader-elect",
  "--leader-elect-lease-duration=3s",
  "--leader-elect-renew-deadline=2s",
  "--leader-elect-retry-period=500ms",
];

test("a killed leader is replaced, and its Job continues", async ({ onTestFinished }) => {
  const tally = await startTally({ args: ["--controllers=garbage,job"] });
  onTestFinished(() => tally.dispose());
  const leader = await startTallyController(tally.kubeconfig, QUICK);
  onTestFinished(() => leader.stop("SIGKILL"));
  await poll(() => leader.log(), SOON).toContain('"leading"');
  const other = await startTallyController(tally.kubeconfig, QUICK);
  onTestFinished(() => other.stop("SIGKILL"));
  const spec = { completionMode: "Indexed", completions: 4, parallelism: 2 };
  await createJob(tally, "j", { ...spec, managedBy: MANAGED_BY });
  await poll(async () => (await podsOf(tally, "j")).length, SOON).toBe(2);
  expect(await leader.metrics()).toMatch(/^rest_client_requests_total\{.*method="POST"\} \d/m);
  await leader.stop("SIGKILL");
  await poll(async () => {
    await succeedAll(tally, "j");
    return hasEnded(await jobOf(tally, "j"), "Complete");
  }, SOON).toBe(true);
  expect((await jobOf(tally, "j")).status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
  expect(other.log()).toContain('"leading"');
  await other.stop("SIGTERM");
  const where = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/tallyjob-controller";
  expect((await tally.call("GET", where)).json.spec.holderIdentity ?? "").toBe("");
});

test.each([
  ["--managed-by=nobody", '--managed-by must be such as "example.com/controller", not "nobody"'],
  ["--managed-by=kubernetes.io/job-controller", "--managed-by must not be Kubernetes' own"],
  ["--kube-api-qps=fast", "--kube-api-qps must be a number, or 0 for no limit"],
  ["--kube-api-burst=0", "--kube-api-burst must be a number from 1"],
  ["--health-address=here", "--health-address must be an IP address"],
])("%s is rejected", async (flag, problem) => {
  const failed = promisify(execFile)(process.execPath, [
    projectFile("dist/main.js"),
    "controller",
    flag,
  ]);
  await expect(failed).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
});
