/** Objects from files: apply, diff, create, replace, edit. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import {
  CONFIG_MAPS,
  configMap,
  documents,
  JOBS,
  job,
  type Manifest,
  pod,
  statefulSet,
} from "./manifests.ts";
import { kubectlTests, type Prompt } from "./prompt.ts";

const check = kubectlTests();

check("apply creates, leaves unchanged, and configures differences", async (prompt) => {
  const apply = (stdin: Manifest) => prompt.prints("apply -f -", { stdin });
  expect(await apply(job("wj"))).toBe("job.batch/wj created\n");
  expect(await apply(job("wj"))).toBe("job.batch/wj unchanged\n");
  expect(await apply(job("wj", { parallelism: 3 }))).toBe("job.batch/wj configured\n");
  expect(await prompt.prints("get job wj -o jsonpath={.spec.parallelism}")).toBe("3");
  expect(await apply(job("wj", {}, { app: "x" }))).toBe("job.batch/wj configured\n");
  const left = "jsonpath={.spec.parallelism}{.metadata.labels.app}";
  expect(await prompt.prints(`get job wj -o ${left}`)).toBe("1x");
});

check("apply merges lists by their keys and keeps what others set", async (prompt) => {
  const web = statefulSet("web");
  await prompt.prints("apply -f -", { stdin: web });
  const sidecar = { name: "sidecar", image: "busybox" };
  const added = { spec: { template: { spec: { containers: [sidecar] } } } };
  await prompt.prints(["patch", "sts", "web", "-p", JSON.stringify(added)]);
  const changed = JSON.parse(JSON.stringify(web).replace("busybox:1.36", "busybox:1.37"));
  expect(await prompt.prints("apply -f -", { stdin: changed })).toBe(
    "statefulset.apps/web configured\n",
  );
  const images = "jsonpath={range .spec.template.spec.containers[*]}{.name}={.image} {end}";
  const printed = await prompt.prints(["get", "sts", "web", "-o", images]);
  expect(printed.trim().split(" ").sort()).toEqual(["main=busybox:1.37", "sidecar=busybox"]);
});

check("the last applied configuration can be read and set", async (prompt) => {
  const stdin = configMap("cm");
  await prompt.prints("apply -f -", { stdin });
  expect(await prompt.prints("apply view-last-applied cm/cm -o json")).toContain('"key": "value"');
  expect(await prompt.prints("apply set-last-applied -f -", { stdin: configMap("cm", {}) })).toBe(
    "configmap/cm configured\n",
  );
});

check("apply warns if the object was created without apply, and continues", async (prompt) => {
  await prompt.given(CONFIG_MAPS, configMap("cm"));
  const outcome = await prompt.kubectl("apply -f -", { stdin: configMap("cm", { key: "new" }) });
  expect(outcome).toMatchObject({ code: 0, stdout: "configmap/cm configured\n" });
  expect(outcome.stderr).toMatch(/^Warning: resource configmaps\/cm is missing the kubectl/);
});

check("a list and a kustomization are applied", async (prompt) => {
  const items = [configMap("one"), job("two")];
  const list = { apiVersion: "v1", kind: "List", items };
  expect(await prompt.prints("apply -f -", { stdin: list })).toBe(
    "configmap/one created\njob.batch/two created\n",
  );
  const folder = path.join(prompt.home, "kustomization");
  await mkdir(folder);
  await writeFile(path.join(folder, "job.yaml"), JSON.stringify(job("three")));
  await writeFile(path.join(folder, "kustomization.yaml"), "resources: [job.yaml]\n");
  expect(await prompt.prints(`apply -k ${folder}`)).toBe("job.batch/three created\n");
});

check("apply prunes objects that are no longer in the file", async (prompt) => {
  const labelled = (name: string): Manifest => ({
    ...configMap(name),
    metadata: { name, labels: { set: "a" } },
  });
  const apply = async (...names: string[]): Promise<string> => {
    const command = "apply --prune -l set=a --prune-allowlist=core/v1/ConfigMap -f -";
    return (await prompt.kubectl(command, { stdin: documents(names.map(labelled)) })).stdout;
  };
  expect(await apply("a", "b")).toBe("configmap/a created\nconfigmap/b created\n");
  expect(await apply("b")).toBe("configmap/b unchanged\nconfigmap/a pruned\n");
});

check("diff shows what apply would change and changes nothing", async (prompt) => {
  const stdin = job("wj");
  const fresh = await prompt.kubectl("diff -f -", { stdin });
  expect(fresh.code).toBe(1);
  expect(fresh.stdout).toMatch(/^\+kind: Job$/m);
  await prompt.prints("apply -f -", { stdin });
  expect(await prompt.prints("diff -f -", { stdin })).toBe("");
  const changed = await prompt.kubectl("diff -f -", { stdin: job("wj", { parallelism: 2 }) });
  expect(changed).toMatchObject({ code: 1, stderr: "" });
  expect(changed.stdout).toMatch(/^- {2}parallelism: 1\n\+ {2}parallelism: 2$/m);
  expect(await prompt.prints("get job wj -o jsonpath={.spec.parallelism}")).toBe("1");
});

check("a file of 50 documents is created in order", async (prompt) => {
  const kinds = [configMap, job, pod, statefulSet, configMap];
  const manifests = Array.from({ length: 50 }, (_, index) => {
    const make: (name: string) => Manifest = kinds[index % kinds.length] ?? configMap;
    return make(`doc-${index}`);
  });
  const file = path.join(prompt.home, "fifty.yaml");
  await writeFile(file, documents(manifests));
  const printed = await prompt.prints(`create -f ${file}`);
  const names = printed.trim().split("\n");
  expect(names).toHaveLength(50);
  expect(names.slice(0, 4)).toEqual([
    "configmap/doc-0 created",
    "job.batch/doc-1 created",
    "pod/doc-2 created",
    "statefulset.apps/doc-3 created",
  ]);
  const again = await prompt.refuses(`create -f ${file}`);
  expect(again.match(/AlreadyExists/g)).toHaveLength(50);
  expect(again).toContain(': jobs.batch "doc-1" already exists\n');
  const deleted = await prompt.prints(`delete -f ${file} --wait=false`);
  expect(deleted.match(/ deleted/g)).toHaveLength(50);
});

check("an unknown field and an invalid value are rejected with the reason", async (prompt) => {
  const [unknown, wrong, typed] = await Promise.all([
    prompt.refuses("apply -f -", { stdin: job("wj", { paralelism: 1 }) }),
    prompt.refuses("create -f -", { stdin: job("wj", { parallelism: -1 }) }),
    prompt.refuses("create -f -", { stdin: job("wj", { parallelism: "two" }) }),
  ]);
  expect(unknown).toContain("(BadRequest)");
  expect(unknown).toContain('strict decoding error: unknown field "spec.paralelism"');
  expect(wrong).toBe(
    'The Job "wj" is invalid: spec.parallelism: Invalid value: -1: ' +
      "must be greater than or equal to 0\n",
  );
  expect(typed).toContain("cannot unmarshal string into Go struct field JobSpec.spec.parallelism");
});

check("without strict validation an unknown field only causes a warning", async (prompt) => {
  const stdin = job("wj", { paralelism: 1 });
  const { code, stdout, stderr } = await prompt.kubectl("create --validate=warn -f -", { stdin });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "job.batch/wj created\n" });
  expect(stderr).toBe('Warning: unknown field "spec.paralelism"\n');
});

check("a dry run answers and stores nothing", async (prompt) => {
  const stdin = job("wj");
  const [client, server, applied] = await Promise.all([
    prompt.prints("create -f - --dry-run=client", { stdin }),
    prompt.prints("create -f - --dry-run=server -o yaml", { stdin }),
    prompt.prints("apply -f - --dry-run=server", { stdin }),
  ]);
  expect(client).toBe("job.batch/wj created (dry run)\n");
  expect(server).toMatch(/^ {2}uid: /m);
  expect(applied).toBe("job.batch/wj created (server dry run)\n");
  expect((await prompt.kubectl("get jobs")).stdout).toBe("");
});

check("replace requires the object to exist and to be unmodified", async (prompt) => {
  const absent = await prompt.refuses("replace -f -", { stdin: configMap("cm") });
  expect(absent).toContain('configmaps "cm" not found');
  await prompt.given(CONFIG_MAPS, configMap("cm"));
  const read = await prompt.prints("get cm cm -o json");
  expect(await prompt.prints("replace -f -", { stdin: configMap("cm", { a: "1" }) })).toBe(
    "configmap/cm replaced\n",
  );
  const stale = await prompt.refuses("replace -f -", { stdin: read });
  expect(stale).toContain("(Conflict)");
  expect(stale).toContain("the object has been modified; please apply your changes to the latest");
});

check("replace --force first deletes the object, if it exists", async (prompt) => {
  const file = path.join(prompt.home, "force.yaml");
  await writeFile(file, JSON.stringify(job("wj")));
  expect(await prompt.prints(`replace --force -f ${file}`)).toBe("job.batch/wj replaced\n");
  const uid = await prompt.prints("get job wj -o jsonpath={.metadata.uid}");
  const again = await prompt.kubectl(`replace --force -f ${file}`);
  expect(again.stdout).toMatch(/^job\.batch "wj" deleted.*\njob\.batch\/wj replaced\n$/);
  expect(await prompt.prints("get job wj -o jsonpath={.metadata.uid}")).not.toBe(uid);
});

check("edit sends the changes made in the editor", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const edit = async (script: string) => {
    const options = { env: { KUBE_EDITOR: await editor(prompt, script) } };
    return prompt.kubectl("edit job wj", options);
  };
  const changed = await edit('sed -i "s/parallelism: 1/parallelism: 4/" "$1"');
  expect(changed).toEqual({ code: 0, stdout: "job.batch/wj edited\n", stderr: "" });
  expect(await prompt.prints("get job wj -o jsonpath={.spec.parallelism}")).toBe("4");
  const untouched = await edit("true");
  expect(untouched.stderr).toBe("Edit cancelled, no changes made.\n");
  const wrong = await edit('sed -i "s/completionMode: .*/completionMode: Indexed/" "$1"');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('error: jobs.batch "wj" is invalid');
});

/** Returns an editor that runs the script with the file to edit. */
async function editor(prompt: Prompt, script: string): Promise<string> {
  const file = path.join(prompt.home, `editor-${script.length}`);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}
