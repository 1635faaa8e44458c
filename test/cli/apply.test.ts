/** "tally apply", "tally delete" and "tally wait" beside kubectl's. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  configMap,
  documents,
  job,
  type Manifest,
  pod,
  statefulSet,
} from "../kubectl/manifests.ts";
import { RICH_POD_SPEC } from "./objects.ts";
import { type Twins, twinTests } from "./twins.ts";

/** The garbage collector takes part in deletions that are not in the background. */
const check = twinTests(["--no-agent", "--controllers=garbage"]);

async function directory(files: { readonly [name: string]: string }): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "tally-apply-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(made, name)), { recursive: true });
    await writeFile(path.join(made, name), text);
  }
  return made;
}

function renamed(manifest: Manifest, name: string): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, name } };
}

/** Each applies the versions in turn to an object of its own; in the end both are the same. */
async function appliesAlike(twins: Twins, versions: readonly Manifest[]): Promise<void> {
  for (const version of versions) {
    const theirs = await twins.kubectl("apply -f -", { stdin: renamed(version, "theirs") });
    const ours = await twins.tallySays("apply -f -", { stdin: renamed(version, "ours") });
    expect(alike(ours)).toEqual(alike(theirs));
  }
  const kind = versions[0]?.kind;
  const theirs = await twins.prints(`get ${kind} theirs -o json`);
  const ours = await twins.prints(`get ${kind} ours -o json`);
  expect(essence(ours)).toEqual(essence(theirs));
}

function alike(outcome: object): object {
  return JSON.parse(
    JSON.stringify(outcome).replaceAll("theirs", "ours").replaceAll("kubectl apply", "tally apply"),
  );
}

function essence(text: string): unknown {
  const { metadata, ...rest } = JSON.parse(text.replaceAll("theirs", "ours"));
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...kept } = metadata;
  return JSON.parse(JSON.stringify({ metadata: kept, ...rest }).replaceAll(metadata.uid, "UID"));
}

check("a Job that is created, applied again, and changed", async (twins) => {
  const first = job("x", { parallelism: 1, suspend: true }, { a: "1", b: "2" });
  const second = job("x", { parallelism: 2, suspend: true }, { a: "1", c: "3" });
  await appliesAlike(twins, [first, first, second, second]);
});

check("what others set stays, what was applied and is gone goes", async (twins) => {
  const set = statefulSet("x", 1);
  for (const name of ["theirs", "ours"]) {
    const stdin = renamed(set, name);
    await (name === "ours" ? twins.tallySays : twins.kubectl)("apply -f -", { stdin });
    await twins.kubectl(`label sts ${name} by=hand`);
    await twins.kubectl(`scale sts ${name} --replicas=5`);
  }
  const spec = set["spec"] as { readonly template: object; readonly [key: string]: unknown };
  const { replicas: _, ...without } = spec;
  await appliesAlike(twins, [{ ...set, spec: without }]);
});

check("the lists of a template are merged by their keys", async (twins) => {
  const set = (podSpec: object): Manifest => {
    const labels = { app: "x" };
    const template = { metadata: { labels }, spec: podSpec };
    const spec = { serviceName: "x", selector: { matchLabels: labels }, template };
    return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "x" }, spec };
  };
  const { restartPolicy: _, tolerations: __, ...rich } = RICH_POD_SPEC;
  const [main = {}, plain = {}] = rich.containers;
  const env = [
    { name: "LINES", value: "changed" },
    { name: "PLAIN", value: "v" },
    { name: "NEW", value: "n" },
  ];
  const changed = {
    ...rich,
    initContainers: [],
    containers: [
      { ...plain, image: "q" },
      { ...main, env, ports: [{ containerPort: 81 }] },
    ],
    volumes: [
      { name: "scratch", hostPath: { path: "/other" } },
      ...rich.volumes.slice(1).reverse(),
    ],
  };
  await appliesAlike(twins, [set(rich), set(changed), set(rich), set(rich)]);
});

check("an object that was not applied before", async (twins) => {
  for (const name of ["theirs", "ours"]) {
    await twins.kubectl(`create configmap ${name} --from-literal=a=b`);
  }
  await appliesAlike(twins, [configMap("x", { c: "d" })]);
});

check("files, directories and several documents", async (twins) => {
  const made = await directory({
    "b.yaml": `# a comment\n---\n${documents([configMap("b1"), configMap("b2")])}---\n`,
    "a.json": `${JSON.stringify(configMap("a1"))}\n${JSON.stringify(configMap("a2"))}`,
    "c.txt": "not a manifest",
    "deep/d.yml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: d\ndata: {}\n",
    "list.yaml": JSON.stringify({ apiVersion: "v1", kind: "List", items: [configMap("e")] }),
  });
  const { stdout } = await twins.tallySays(["apply", "-f", made, "-R"]);
  expect(stdout).toBe(
    ["a1", "a2", "b1", "b2", "d", "e"].map((name) => `configmap/${name} created\n`).join(""),
  );
  await twins.same(["apply", "-f", made, "-R"]);
  await twins.same(["apply", "-f", made]);
  await twins.same(["apply", "-f", made, "-o", "name"]);
  await twins.same(["apply", "-f", path.join(made, "none.yaml")]);
});

check("what the server refuses", async (twins) => {
  const made = await directory({
    "unknown.yaml": JSON.stringify({
      ...job("x"),
      spec: { ...(job("x")["spec"] as object), x: 1 },
    }),
    "invalid.yaml": JSON.stringify(job("x", { parallelism: -1, completions: -2 })),
    "one.yaml": JSON.stringify(job("x", { parallelism: -1 })),
    "kind.yaml": JSON.stringify({ ...job("x"), kind: "Jobs" }),
    "other.yaml": JSON.stringify({ ...job("x"), metadata: { name: "x", namespace: "other" } }),
    "generated.yaml": JSON.stringify({ ...job("x"), metadata: { generateName: "x-" } }),
    "changed.yaml": JSON.stringify(job("fixed", { completions: 9 })),
  });
  for (const name of ["unknown", "invalid", "one", "kind", "other", "generated"]) {
    await twins.same(["apply", "-f", path.join(made, `${name}.yaml`)]);
  }
  await twins.same("apply -f -", { stdin: job("fixed", { completions: 2 }) }).catch(() => {});
  await twins.same(["apply", "-f", path.join(made, "changed.yaml")]);
});

check("deleting by name, by label, all, and from a file", async (twins) => {
  const both = async (command: string, tally = command, stdin?: object): Promise<void> => {
    const names = ["a", "b", "c"].map((name) => configMap(name));
    const labelled = names.map((each) => ({
      ...each,
      metadata: { ...each.metadata, labels: { app: "x" } },
    }));
    await twins.kubectl("apply -f -", { stdin: documents(labelled) });
    const theirs = await twins.kubectl(command, { stdin });
    await twins.kubectl("apply -f -", { stdin: documents(labelled) });
    const ours = await twins.tallySays(tally, { stdin });
    expect(ours, command).toEqual(theirs);
  };
  await both("delete configmap a");
  await both("delete configmap/a cm/b");
  await both("delete cm a none b");
  await both("delete cm a none --ignore-not-found");
  await both("delete cm -l app=x");
  await both("delete cm -l app=none");
  await both("delete cm a -o name");
  await both("delete -f -", "delete -f -", configMap("b"));
  await twins.same("delete cm none");
});

check("deleting pods with and without grace, and Jobs by their bare name", async (twins) => {
  const both = async (command: string, tally = command): Promise<void> => {
    const stdin = documents([job("wj", { suspend: true }), pod("p", { nodeName: "elsewhere" })]);
    await twins.kubectl("apply -f -", { stdin });
    const theirs = await twins.kubectl(command);
    await twins.kubectl("delete pod p --force --grace-period=0");
    await twins.kubectl("apply -f -", { stdin });
    expect(await twins.tallySays(tally), command).toEqual(theirs);
  };
  await both("delete job wj", "delete wj");
  await both("delete job wj --cascade=orphan");
  await both("delete job wj --cascade=foreground --wait=false");
  await both("delete pod p --force");
  await both("delete pod p --grace-period=7 --wait=false");
  await both("delete pod p --now --wait=false");
});

check("waiting for conditions, fields, and the end", async (twins) => {
  await twins.kubectl("apply -f -", { stdin: documents([job("wj"), pod("p")]) });
  const status = "/apis/batch/v1/namespaces/NS/jobs";
  await twins.same("wait --for=condition=complete job/wj --timeout=0");
  await twins.same("wait --for=condition=complete job/none --timeout=0");
  await twins.same("wait --for=condition=complete jobs -l nobody=has");
  await twins.same("wait --for=jsonpath={.spec.parallelism}=1 job/wj");
  await twins.same("wait --for=jsonpath={.spec.parallelism} job/wj", {
    tally: "wait wj --for jsonpath=.spec.parallelism",
  });
  await twins.same("wait --for=create pod/p job/wj");
  await twins.same("wait --for=delete pod/none");
  await twins.same("wait --for=jsonpath={.status.phase}=Pending pods --all");
  const conditions = ["FailureTarget", "Failed"].map((type) => ({
    ...{ type, status: "True", reason: "BackoffLimitExceeded" },
    lastTransitionTime: "2026-01-02T03:04:05Z",
  }));
  const waiting = twins.tallySays("wait wj --for finished --timeout 60s");
  await twins.withStatus(status, "wj", {
    ...{ conditions, failed: 1, startTime: "2026-01-02T03:04:05Z", uncountedTerminatedPods: {} },
  });
  expect(await waiting).toEqual({ code: 3, stdout: "job.batch/wj failed\n", stderr: "" });
  await twins.same("wait --for=condition=Failed job/wj");
  await twins.same("wait --for=condition=failed=false job/wj --timeout=0");
  const gone = twins.tallySays("wait --for=delete job/wj --timeout 60s");
  await twins.kubectl("delete job wj");
  expect(await gone).toEqual({ code: 0, stdout: "job.batch/wj condition met\n", stderr: "" });
});
