/** All forms of deletion, and the commands that wait. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { CONFIG_MAPS, configMap, JOBS, job, PODS, pod } from "./manifests.ts";
import { kubectlTests, type Prompt } from "./prompt.ts";

const check = kubectlTests();

check("delete waits until the object is gone", async (prompt) => {
  await prompt.given(JOBS, job("cj"));
  expect(await prompt.prints("delete job cj")).toMatch(/^job\.batch "cj" deleted.*\n$/);
  expect(await prompt.refuses("get job cj")).toContain("(NotFound)");
  expect(await prompt.refuses("delete job cj")).toBe(
    'Error from server (NotFound): jobs.batch "cj" not found\n',
  );
  const ignored = await prompt.kubectl("delete job cj --ignore-not-found");
  expect(ignored.code).toBe(0);
});

check("delete accepts files, selectors and --all", async (prompt) => {
  const file = path.join(prompt.home, "delete.yaml");
  await writeFile(file, JSON.stringify(job("wj")));
  await Promise.all([
    prompt.given(JOBS, job("wj")),
    prompt.given(JOBS, job("a", {}, { app: "x" })),
    prompt.given(JOBS, job("b", {}, { app: "x" })),
    prompt.given(CONFIG_MAPS, configMap("one")),
    prompt.given(CONFIG_MAPS, configMap("two")),
  ]);
  const printed = await Promise.all([
    prompt.prints(`delete -f ${file}`),
    prompt.prints("delete jobs -l app=x"),
    prompt.prints("delete cm --all"),
  ]);
  expect(printed[0]).toMatch(/^job\.batch "wj" deleted/);
  expect(printed[1]?.match(/^job\.batch "[ab]" deleted/gm)).toHaveLength(2);
  expect(printed[2]?.match(/^configmap "\w+" deleted/gm)).toHaveLength(2);
  expect((await prompt.kubectl("get jobs,cm")).stdout).toBe("");
});

check("a pod is deleted immediately if requested, else after its grace period", async (prompt) => {
  const names = ["now", "forced", "graced"];
  await Promise.all(names.map((name) => prompt.given(PODS, pod(name, { nodeName: "n" }))));
  await prompt.given(PODS, pod("unbound"));
  const [forced, graced] = await Promise.all([
    prompt.kubectl("delete pod forced --force"),
    prompt.prints("delete pod graced --wait=false"),
  ]);
  expect(forced.code).toBe(0);
  expect(forced.stderr).toContain("Warning: Immediate deletion does not wait for confirmation");
  expect(forced.stdout).toMatch(/^pod "forced" force deleted/);
  expect(graced).toMatch(/^pod "graced" deleted/);
  const seconds = "jsonpath={.metadata.deletionGracePeriodSeconds}";
  expect(await prompt.prints(`get pod graced -o ${seconds}`)).toBe("30");
  expect(await prompt.prints("get pod graced --no-headers")).toMatch(/ Terminating /);
  expect(await prompt.prints("delete pod unbound --now")).toMatch(/^pod "unbound" deleted/);
  await prompt.prints("delete pod now --now --wait=false");
  expect(await prompt.prints(`get pod now -o ${seconds}`)).toBe("1");
});

check("--cascade decides what happens to dependents", async (prompt) => {
  await Promise.all(
    ["orphan", "foreground", "background"].map((name) => prompt.given(JOBS, job(name))),
  );
  const finalizers = (name: string) =>
    prompt.prints(`get job ${name} -o jsonpath={.metadata.finalizers}`);
  await Promise.all([
    prompt.prints("delete job orphan --cascade=orphan --wait=false"),
    prompt.prints("delete job foreground --cascade=foreground --wait=false"),
    prompt.prints("delete job background --cascade=background"),
  ]);
  const [orphan, foreground, background] = await Promise.all([
    finalizers("orphan"),
    finalizers("foreground"),
    prompt.refuses("get job background"),
  ]);
  expect(orphan).toBe('["orphan"]');
  expect(foreground).toBe('["foregroundDeletion"]');
  expect(background).toContain("(NotFound)");
  const timeout = await prompt.kubectl("delete job foreground --cascade=foreground --timeout=1s");
  expect(timeout.code).toBe(1);
  expect(timeout.stderr).toContain("timed out waiting for the condition");
});

check("delete --wait=false leaves a namespace terminating", async (prompt) => {
  const name = `${prompt.namespace}-wns`;
  await prompt.prints(`create namespace ${name}`);
  const deleted = await prompt.kubectl(`delete ns ${name} --wait=false`);
  expect(deleted).toMatchObject({ code: 0, stdout: `namespace "${name}" deleted\n` });
  expect(await prompt.prints(`get ns ${name} --no-headers`)).toMatch(/ Terminating /);
  const late = await prompt.refuses(`create configmap cm -n ${name}`);
  expect(late).toContain(
    `configmaps "cm" is forbidden: unable to create new content in namespace ${name} ` +
      "because it is being terminated",
  );
});

check("a wait for a condition ends when the condition is met", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const waiting = prompt.start("wait --for=condition=complete job/wj --timeout=150s -v=6");
  await waiting.until(/watch=true.*200 OK/);
  await complete(prompt, "wj");
  const { code, stdout } = await waiting.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "job.batch/wj condition met\n" });
  expect(await prompt.prints("get job wj --no-headers")).toMatch(
    /^wj +Complete +1\/1 +60s +\d+s\n$/,
  );
});

check("a wait for a condition times out", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  expect(await prompt.refuses("wait --for=condition=complete job/wj --timeout=1s")).toContain(
    "jobs/wj",
  );
  expect(await prompt.refuses("wait --for=condition=complete job/none --timeout=1s")).toBe(
    'Error from server (NotFound): jobs.batch "none" not found\n',
  );
});

check("wait supports a value and the deletion of an object", async (prompt) => {
  await Promise.all([prompt.given(JOBS, job("wj")), prompt.given(JOBS, job("doomed"))]);
  const value = prompt.start(
    "wait --for=jsonpath={.spec.parallelism}=5 job/wj --timeout=150s -v=6",
  );
  const end = prompt.start("wait --for=delete job/doomed --timeout=150s -v=6");
  await Promise.all([value.until(/watch=true.*200 OK/), end.until(/watch=true.*200 OK/)]);
  await Promise.all([
    prompt.prints(["patch", "job", "wj", "-p", '{"spec":{"parallelism":5}}']),
    prompt.prints("delete job doomed --wait=false"),
  ]);
  const outcomes = await Promise.all([value.ended, end.ended]);
  expect(outcomes.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: "job.batch/wj condition met\n" },
    { code: 0, stdout: "job.batch/doomed condition met\n" },
  ]);
});

/** Writes the status that the Job controller writes at the end. */
async function complete(prompt: Prompt, name: string): Promise<void> {
  const end = new Date();
  const at = (time: Date) => time.toISOString().replace(/\.\d+/, "");
  const lastTransitionTime = at(end);
  const status = {
    startTime: at(new Date(end.getTime() - 60_000)),
    completionTime: lastTransitionTime,
    succeeded: 1,
    conditions: ["SuccessCriteriaMet", "Complete"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime,
    })),
  };
  const target = `${JOBS.replace("NS", prompt.namespace)}/${name}/status`;
  const type = { "Content-Type": "application/merge-patch+json" };
  const answer = await prompt.tally.call("PATCH", target, { status }, type);
  expect(answer.status, answer.text).toBe(200);
}
