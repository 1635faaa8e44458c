/**
 * Draining a node as an administrator does: budgets are kept, and Jobs do not count the evictions.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { until } from "../agent/cluster.ts";
import { BUDGETS, JOBS, PODS } from "./manifests.ts";
import { kubectlTests, type Prompt } from "./prompt.ts";

// Without this, replacements would wait for ten seconds.
const check = kubectlTests(["--job-backoff-base=10ms"]);

function sleeper(mark: string): object {
  const life = `echo up; echo up >> ${mark}; exec sleep 3600`;
  return { name: "main", image: "busybox", command: ["sh", "-c", life] };
}

async function running(prompt: Prompt, selector: string, count: number): Promise<void> {
  const phase = "--field-selector=status.phase=Running";
  await until(async () => {
    const { stdout } = await prompt.kubectl(`get pods -l ${selector} ${phase} -o name`);
    return stdout.trim().split("\n").filter(Boolean).length === count;
  });
}

check("drain waits for a budget, and ignored disruptions do not fail a Job", async (prompt) => {
  const mark = path.join(prompt.home, "drained");
  const labels = { app: "kept" };
  const spec = { containers: [sleeper(mark)], terminationGracePeriodSeconds: 5 };
  for (const name of ["kept-a", "kept-b"]) {
    await prompt.given(PODS, { metadata: { name, labels }, spec });
  }
  await prompt.given(BUDGETS, {
    metadata: { name: "two" },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
  const onPodConditions = [{ type: "DisruptionTarget" }];
  const podFailurePolicy = { rules: [{ action: "Ignore", onPodConditions }] };
  const template = { spec: { restartPolicy: "Never", containers: [sleeper(mark)] } };
  const job = { backoffLimit: 0, podFailurePolicy, template };
  await prompt.given(JOBS, { metadata: { name: "j" }, spec: job });
  await running(prompt, "app=kept", 2);
  await running(prompt, "job-name=j", 1);
  await until(async () => (await budget(prompt, "currentHealthy")) === "2");

  const refused = await prompt.tally.call(
    "POST",
    `${PODS.replace("NS", prompt.namespace)}/kept-a/eviction`,
    { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "kept-a" } },
  );
  expect(refused.status).toBe(429);
  expect(refused.json).toMatchObject({
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: "DisruptionBudget",
          message: "The disruption budget two needs 2 healthy pods and has 2 currently",
        },
      ],
    },
  });

  const node = (await prompt.prints("get nodes -o name")).trim();
  const reason = '{.status.conditions[?(@.type=="DisruptionTarget")].reason}';
  const each = `jsonpath={.metadata.name}: ${reason};`;
  const reasons = prompt.start(["get", "pods", "-l", "job-name=j", "--watch", "-o", each]);
  await reasons.until(/j-\w+: ;/);
  const drain = prompt.start(`drain ${node} --force --ignore-daemonsets --timeout=150s`);
  await drain.until(/Cannot evict pod as it would violate the pod's disruption budget/);
  await reasons.until(/EvictionByEvictionAPI/);
  reasons.process.kill();
  expect(await prompt.prints("get pods -l app=kept -o name")).toBe("pod/kept-a\npod/kept-b\n");
  await prompt.prints(["patch", "pdb", "two", "-p", '{"spec":{"minAvailable":0}}']);
  const { code, stdout } = await drain.ended;
  expect({ code, isDrained: stdout.includes(`${node} drained`) }).toEqual({
    code: 0,
    isDrained: true,
  });
  expect((await prompt.kubectl("get pods -l app=kept -o name")).stdout).toBe("");

  expect(await prompt.prints("get job j -o jsonpath={.status.failed}")).toBe("");
  const before = readFileSync(mark, "utf8").length;
  await prompt.prints(`uncordon ${node}`);
  await running(prompt, "job-name=j", 1);
  await until(() => readFileSync(mark, "utf8").length > before);
  expect(await prompt.prints("get job j -o jsonpath={.status.failed}")).toBe("");
});

const budget = (prompt: Prompt, field: string) =>
  prompt.prints(`get pdb two -o jsonpath={.status.${field}}`);
