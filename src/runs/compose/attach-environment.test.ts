import { expect, test } from "vitest";
import type { Secret } from "../../api/generated/core.ts";
import { parseEnvironmentSecret } from "../../api/run-environment.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import { attachEnvironment, MAX_ENVIRONMENT_BYTES } from "./attach-environment.ts";
import { composeRun } from "./compose-run.ts";

const ENVIRONMENT = {
  variables: Buffer.from("TOKEN=hidden\0"),
  workingDirectory: "/here",
  umask: "0022",
  limits: "",
};
const list = { parameters: ["ITEM"], columns: [["a", "b"]] };
const request = { name: "n", namespace: "ns", suffix: "x1", command: ["true"], parallelism: 1 };

test("the Job refers to its Secret, which is created before the list", () => {
  const run = attachEnvironment(composeRun({ ...request, list }), ENVIRONMENT, "x1");
  const { annotations = {} } = run.job.metadata;
  expect(annotations["tallyjob.io/environment"]).toBe("n-environment-x1");
  expect(annotations[WORK_LIST]).toBe("n-list-x1");
  const [secret, stored] = run.support();
  expect(secret?.metadata).toEqual({ name: "n-environment-x1", namespace: "ns" });
  expect(parseEnvironmentSecret(secret as Secret)).toEqual(ENVIRONMENT);
  expect(stored?.metadata.name).toBe("n-list-x1");
  expect(JSON.stringify(run.job)).not.toContain("hidden");
});

test("an environment that is too large for a Secret is rejected with its size", () => {
  const variables = new Uint8Array(MAX_ENVIRONMENT_BYTES + 1);
  expect(() => attachEnvironment(composeRun(request), { ...ENVIRONMENT, variables }, "x")).toThrow(
    "the environment has 1000001 bytes, and at most 1000000 can be stored with a run",
  );
});
