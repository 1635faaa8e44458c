/** All forms of "kubectl get", and the options of lists. */
import { expect } from "vitest";
import {
  CONFIG_MAPS,
  configMap,
  EVENTS,
  JOBS,
  job,
  NODES,
  node,
  PODS,
  pod,
  STATEFUL_SETS,
  statefulSet,
} from "./manifests.ts";
import { kubectlTests } from "./prompt.ts";
import { requestsOf } from "./requests.ts";

const check = kubectlTests();

check("the columns of a Job come from the server, with more for -o wide", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const [narrow, wide] = await Promise.all([
    prompt.prints("get jobs"),
    prompt.prints("get jobs -o wide"),
  ]);
  expect(narrow).toMatch(/^NAME +STATUS +COMPLETIONS +DURATION +AGE\nwj +Running +0\/1 +\d+s\n$/);
  expect(wide).toMatch(/^NAME .* AGE +CONTAINERS +IMAGES +SELECTOR\n/);
  expect(wide).toMatch(
    / main +busybox:1\.36 +batch\.kubernetes\.io\/controller-uid=[0-9a-f-]{36}\n$/,
  );
});

check("a whole object can be printed as YAML and JSON", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const [yaml, json] = await Promise.all([
    prompt.prints("get job wj -o yaml"),
    prompt.prints("get job wj -o json"),
  ]);
  expect(yaml).toMatch(/^apiVersion: batch\/v1\nkind: Job\nmetadata:\n/);
  expect(yaml).toContain("  completionMode: NonIndexed\n");
  const { metadata, spec } = JSON.parse(json);
  expect(metadata).toMatchObject({ name: "wj", namespace: prompt.namespace, generation: 1 });
  expect(spec).toMatchObject({ parallelism: 1, completions: 1, backoffLimit: 6, suspend: false });
});

check("fields are selected by name, column, path and template", async (prompt) => {
  await prompt.given(JOBS, job("wj", { parallelism: 2, completions: 2 }));
  const columns = "custom-columns=N:.metadata.name,P:.spec.parallelism,X:.spec.none";
  const template = "go-template={{.kind}}/{{.metadata.name}}";
  const printed = await Promise.all([
    prompt.prints("get jobs -o name"),
    prompt.prints(`get jobs -o ${columns}`),
    prompt.prints("get jobs -o jsonpath={.items[*].spec.completions}"),
    prompt.prints(["get", "job", "wj", "-o", template]),
  ]);
  expect(printed[1]).toMatch(/^N +P +X\nwj +2 +<none>\n$/);
  expect(printed.toSpliced(1, 1)).toEqual(["job.batch/wj\n", "2", "Job/wj"]);
});

check("rows are sorted by the given field", async (prompt) => {
  await Promise.all(
    [3, 1, 2].map((parallelism, index) =>
      prompt.given(JOBS, job(`job-${index}`, { parallelism, completions: 5 })),
    ),
  );
  const sorted = await prompt.prints("get jobs --sort-by=.spec.parallelism --no-headers");
  expect(sorted.match(/^job-\d/gm)).toEqual(["job-1", "job-2", "job-0"]);
});

check("labels select objects, and can be shown as columns", async (prompt) => {
  await Promise.all([
    prompt.given(JOBS, job("a", {}, { tier: "one", app: "x" })),
    prompt.given(JOBS, job("b", {}, { tier: "two", app: "x" })),
    prompt.given(JOBS, job("c", {}, { app: "y" })),
  ]);
  const names = (command: string) => prompt.prints(`${command} -o name`);
  const selected = await Promise.all([
    names("get jobs -l app=x"),
    prompt.prints(["get", "jobs", "-l", "tier in (one,three)", "-o", "name"]),
    names("get jobs -l !tier"),
    names("get jobs -l app=x,tier!=one"),
    prompt.prints("get jobs -L tier --no-headers"),
    prompt.prints("get job b --show-labels --no-headers"),
  ]);
  expect(selected.slice(0, 4)).toEqual([
    "job.batch/a\njob.batch/b\n",
    "job.batch/a\n",
    "job.batch/c\n",
    "job.batch/b\n",
  ]);
  expect(selected[4]).toMatch(/^a .* one\nb .* two\nc .*\d+s +\n$/);
  expect(selected[5]).toMatch(/ app=x,tier=two\n$/);
});

check("field selectors work on the fields that the kind allows", async (prompt) => {
  await Promise.all([
    prompt.given(PODS, pod("here", { nodeName: "somewhere" })),
    prompt.given(PODS, pod("nowhere")),
  ]);
  const [bound, pending, refused] = await Promise.all([
    prompt.prints("get pods --field-selector spec.nodeName=somewhere -o name"),
    prompt.prints("get pods --field-selector status.phase=Pending,metadata.name!=here -o name"),
    prompt.refuses("get pods --field-selector spec.nothing=x"),
  ]);
  expect(bound).toBe("pod/here\n");
  expect(pending).toBe("pod/nowhere\n");
  expect(refused).toMatch(/BadRequest.*field label not supported: spec\.nothing\n$/);
});

check("2,000 objects are listed in pages of 500, each of them once", async (prompt) => {
  const names = Array.from(
    { length: 2000 },
    (_, index) => `page-${String(index).padStart(4, "0")}`,
  );
  const queue = [...names];
  const worker = async (): Promise<void> => {
    for (let name = queue.pop(); name; name = queue.pop()) {
      await prompt.given(CONFIG_MAPS, configMap(name));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  const { code, stdout, stderr } = await prompt.kubectl("get cm --chunk-size=500 -o name -v=6");
  expect(code).toBe(0);
  expect(stdout).toBe(names.map((name) => `configmap/${name}\n`).join(""));
  const pages = requestsOf(stderr).filter(({ target }) => target.includes("/configmaps?"));
  expect(pages.map(({ target }) => /[?&]continue=/.test(target))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(pages.every(({ target }) => target.includes("limit=500"))).toBe(true);
  const table = await prompt.prints("get cm --chunk-size=700 --no-headers");
  expect(table.match(/^page-\d{4} +1 +\d+s$/gm)).toHaveLength(2000);
});

check("get accepts several kinds, several names, and all", async (prompt) => {
  await Promise.all([
    prompt.given(JOBS, job("wj")),
    prompt.given(PODS, pod("p1")),
    prompt.given(STATEFUL_SETS, statefulSet("web")),
  ]);
  const [both, named, all] = await Promise.all([
    prompt.prints("get jobs,pods -o name"),
    prompt.prints("get job/wj sts/web -o name"),
    prompt.prints("get all"),
  ]);
  expect(both).toBe("job.batch/wj\npod/p1\n");
  expect(named).toBe("job.batch/wj\nstatefulset.apps/web\n");
  expect(all).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\npod\/p1 +0\/1 +Pending +0 +\d+s\n/);
  expect(all).toMatch(/\n\nNAME +READY +AGE\nstatefulset\.apps\/web +0\/1 +\d+s\n/);
  expect(all).toMatch(/\njob\.batch\/wj +Running +0\/1 +\d+s\n$/);
});

check("an empty list prints a notice, and an absent object is an error", async (prompt) => {
  const none = await prompt.kubectl("get jobs");
  expect(none).toEqual({
    code: 0,
    stdout: "",
    stderr: `No resources found in ${prompt.namespace} namespace.\n`,
  });
  expect(await prompt.refuses("get job absent")).toBe(
    'Error from server (NotFound): jobs.batch "absent" not found\n',
  );
  expect(await prompt.prints("get job absent --ignore-not-found")).toBe("");
  expect(await prompt.refuses("get nonsense")).toContain('"nonsense"');
});

check("listing all namespaces adds a column for the namespace", async (prompt) => {
  await prompt.given(JOBS, job("everywhere"));
  const table = await prompt.prints("get jobs -A --field-selector metadata.name=everywhere");
  expect(table).toMatch(/^NAMESPACE +NAME +STATUS /);
  expect(table).toMatch(new RegExp(`\n${prompt.namespace} +everywhere +Running `));
});

check("cluster-scoped kinds have their columns too", async (prompt) => {
  await prompt.given(NODES, node("get-node"));
  const [nodes, namespace, service] = await Promise.all([
    prompt.prints("get node get-node -o wide"),
    prompt.prints(`get ns ${prompt.namespace}`),
    prompt.prints("get svc kubernetes -n default"),
  ]);
  expect(nodes).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE /);
  expect(nodes).toMatch(/\nget-node +Unknown +<none> +\d+s +<none> +<none> +<unknown> /);
  expect(namespace).toMatch(/^NAME +STATUS +AGE\nns-\d+ +Active +\d+s\n$/);
  expect(service).toMatch(/\nkubernetes +ClusterIP +[\d.]+ +<none> +443\/TCP +\d+s\n$/);
});

check("a watch prints the existing objects and then the changes", async (prompt) => {
  await prompt.given(JOBS, job("first"));
  const watching = prompt.start("get jobs --watch");
  await watching.until(/^first +Running /m);
  await prompt.given(JOBS, job("second"));
  await watching.until(/^second +Running /m);
  await prompt.prints("delete job first");
  await watching.until(/(^first .*\n[\s\S]*){2}/m);
  watching.process.kill("SIGKILL");
  const { stdout } = await watching.ended;
  expect(stdout.match(/^NAME/gm)).toHaveLength(1);
});

check("a watch with a timeout ends by itself", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const { stdout } = await prompt.kubectl("get jobs --watch --request-timeout=1s");
  expect(stdout).toMatch(/\nwj +Running +0\/1 +\d+s\n$/);
});

check("a watch can print the type of each change", async (prompt) => {
  const watching = prompt.start("get pods --watch --output-watch-events -v=6");
  await watching.until(/watch=true.*200 OK/);
  await prompt.given(PODS, pod("p1"));
  await watching.until(/^EVENT +NAME .*\nADDED +p1 +0\/1 +Pending /m);
  watching.process.kill("SIGKILL");
  await watching.ended;
});

check("events are shown by both commands", async (prompt) => {
  const involvedObject = { apiVersion: "batch/v1", kind: "Job", name: "wj" };
  const when = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, "");
  const nothing = await prompt.kubectl("events");
  expect(nothing.stderr).toBe(`No events found in ${prompt.namespace} namespace.\n`);
  await prompt.given(EVENTS, {
    metadata: { name: "wj.1" },
    involvedObject: { ...involvedObject, namespace: prompt.namespace },
    ...{ reason: "SuccessfulCreate", message: "Created pod: wj-abc", type: "Normal", count: 1 },
    ...{ firstTimestamp: when, lastTimestamp: when, source: { component: "job-controller" } },
  });
  const [get, events, warnings] = await Promise.all([
    prompt.prints("get events"),
    prompt.prints("events --for job/wj"),
    prompt.kubectl("events --types=Warning"),
  ]);
  const row = /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\d+s +Normal +SuccessfulCreate +/;
  expect(get).toMatch(row);
  expect(get).toMatch(/ job\/wj +Created pod: wj-abc\n$/);
  expect(events).toMatch(/ Job\/wj +Created pod: wj-abc\n$/);
  expect(warnings.stdout).toBe("");
});
