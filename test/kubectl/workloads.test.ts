/** StatefulSets and CronJobs with kubectl, in sandboxes and processes of this machine. */
import { tmpdir } from "node:os";
import { expect } from "vitest";
import { until } from "../agent/cluster.ts";
import { kubectlTests } from "./prompt.ts";
import { keepDataInClaims, linesOf, setOf } from "./statefulset-stories.ts";

/**
 * The temporary directory contains the home of each prompt, so tests can read what sandboxes write.
 */
const check = kubectlTests([`--sandbox-share=${tmpdir()}`]);

check(
  "a StatefulSet starts in order, each pod with its index, and stops in reverse",
  async (prompt) => {
    await prompt.prints("create -f -", { stdin: setOf(prompt, 3) });
    await prompt.prints("rollout status statefulset/web --timeout=150s");
    await until(async () => linesOf(prompt).length === 3);
    expect([...linesOf(prompt)].sort()).toEqual(["begin 0 blue", "begin 1 blue", "begin 2 blue"]);
    const index = "apps.kubernetes.io/pod-index";
    expect(await prompt.prints(`get pods -l ${index}=1 -o name`)).toBe("pod/web-1\n");
    expect(await prompt.prints("scale statefulset web --replicas=1")).toBe(
      "statefulset.apps/web scaled\n",
    );
    await prompt.prints("wait --for=delete pod/web-1 --timeout=150s");
    expect(linesOf(prompt).slice(3)).toEqual(["end 2 blue", "end 1 blue"]);
    expect(await prompt.prints("get pods -o name")).toBe("pod/web-0\n");
    await prompt.prints("delete statefulset web");
    await prompt.kubectl("wait --for=delete pod/web-0 --timeout=150s");
    expect(linesOf(prompt).slice(5)).toEqual(["end 0 blue"]);
  },
);

/** A pod without a probe is ready before its process has written its first line. */
function expectRolled(lines: readonly string[], from: string, to: string): void {
  const [end1, begin1, end0, begin0] = [
    `end 1 ${from}`,
    `begin 1 ${to}`,
    `end 0 ${from}`,
    `begin 0 ${to}`,
  ];
  expect([...lines].sort()).toEqual([end1, begin1, end0, begin0].sort());
  for (const [first, then] of [
    [end1, begin1],
    [end1, end0],
    [end0, begin0],
  ] as const) {
    expect(lines.indexOf(first)).toBeLessThan(lines.indexOf(then));
  }
}

check("a new template is rolled out from the last pod on, and can be undone", async (prompt) => {
  await prompt.prints("create -f -", { stdin: setOf(prompt, 2) });
  await prompt.prints("rollout status statefulset/web --timeout=150s");
  await until(async () => linesOf(prompt).length === 2);
  await prompt.prints("set env statefulset/web COLOR=red");
  const status = await prompt.prints("rollout status statefulset/web --timeout=150s");
  expect(status).toContain("roll out complete: 2 new pods have been updated...\n");
  await until(async () => linesOf(prompt).length === 6);
  expectRolled(linesOf(prompt).slice(2), "blue", "red");
  expect(await prompt.prints("rollout history statefulset/web")).toBe(
    "statefulset.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n",
  );
  expect(await prompt.prints("rollout undo statefulset/web")).toBe(
    "statefulset.apps/web rolled back\n",
  );
  await prompt.prints("rollout status statefulset/web --timeout=150s");
  await until(async () => linesOf(prompt).length === 10);
  expectRolled(linesOf(prompt).slice(6), "red", "blue");
  expect(await prompt.prints("rollout history statefulset/web")).toContain("\n3         <none>\n");
});

check("a StatefulSet keeps its data in claims when its pods are deleted", keepDataInClaims);

check("a Job created from a CronJob starts at once and is owned by the CronJob", async (prompt) => {
  const script = "echo made of $KIND";
  const create = ["create", "cronjob", "nightly", "--image=busybox", "--schedule=0 0 1 1 *"];
  await prompt.prints([...create, "--", "sh", "-c", script]);
  await prompt.prints("set env cronjob/nightly KIND=cronjob");
  await prompt.prints("create job now --from=cronjob/nightly");
  await prompt.prints("wait --for=condition=Complete job/now --timeout=150s");
  expect(await prompt.prints("logs job/now")).toBe("made of cronjob\n");
  const seen = await prompt.prints("get events --field-selector=involvedObject.kind=CronJob");
  expect(seen).toContain("UnexpectedJob");
  expect(await prompt.prints("delete cronjob nightly")).toContain("deleted");
  await prompt.kubectl("wait --for=delete job/now --timeout=150s");
  expect((await prompt.kubectl("get jobs,pods -o name")).stdout).toBe("");
});
