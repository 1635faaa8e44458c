/** KEP-4017, story 1: the log of an index, written by a real process, is found by its label. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { kubectlTests } from "./prompt.ts";

const INDEX = "batch.kubernetes.io/job-completion-index";

const check = kubectlTests([]);

const JOB = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sample" },
  spec: {
    completions: 5,
    parallelism: 5,
    completionMode: "Indexed",
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [
          {
            name: "task",
            image: "busybox:1.36",
            command: ["sh", "-c", 'echo "I am $JOB_COMPLETION_INDEX"; echo "of $HOSTNAME" >&2'],
          },
        ],
      },
    },
  },
};

check("kubectl logs -l prints the log of an index", async ({ prints }) => {
  await prints("apply -f -", { stdin: JOB });
  await prints("wait --for=condition=Complete job/sample --timeout=150s");
  for (const index of ["0", "2", "4"]) {
    const selector = `${INDEX}=${index},batch.kubernetes.io/job-name=sample`;
    expect(await prints(`logs -l ${selector}`)).toBe(`I am ${index}\nof sample-${index}\n`);
  }
  const all = await prints("logs -l batch.kubernetes.io/job-name=sample --tail=1 --prefix");
  const lines = all.trimEnd().split("\n").sort();
  expect(lines.map((line) => line.replace(/-\w{5}\//, "-*/"))).toEqual(
    ["0", "1", "2", "3", "4"].map((index) => `[pod/sample-${index}-*/task] of sample-${index}`),
  );
});

check("kubectl logs -f follows a job to its end", async ({ prints, start, home }) => {
  const go = path.join(home, "go");
  const text = `echo 1; until [ -e ${go} ]; do sleep 0.1; done; echo 2; sleep 0.2; echo 3`;
  await prints(["create", "job", "slow", "--image=busybox:1.36", "--", "sh", "-c", text]);
  await prints("wait --for=jsonpath={.status.ready}=1 job/slow --timeout=150s");
  const follower = start("logs -f job/slow");
  await follower.until(/1\n/);
  writeFileSync(go, "");
  expect(await follower.ended).toEqual({ code: 0, stdout: "1\n2\n3\n", stderr: "" });
});
