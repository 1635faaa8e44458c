/** Volumes as containers see them on a real node: what they contain, and who can write to them. */
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTool } from "../support/debian-tool.ts";
import { projectFile } from "../support/project-file.ts";
import { Cluster, script, stateOf, until } from "./cluster.ts";

const isRoot = process.getuid?.() === 0;
const CORE = "/api/v1/namespaces/default";
const RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const INDEX = "batch.kubernetes.io/job-completion-index";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ cwd: projectFile(".") });
});
afterAll(() => cluster.dispose());

type Fields = { readonly [field: string]: unknown };

/** Runs a pod with one volume "v", and returns its output. */
async function printed(name: string, text: string, source: Fields, more: Fields = {}) {
  const volumeMounts = [{ name: "v", mountPath: "/v", ...(more["mount"] as Fields) }];
  const volumes = [{ name: "v", ...source }];
  const containers = [script(text, { volumeMounts })];
  await cluster.createPod(name, { containers, volumes, ...(more["spec"] as Fields) });
  await cluster.over(name);
  return cluster.log(name);
}

describe.runIf(isRoot).concurrent("volumes of a pod that runs in a sandbox", () => {
  test("a ConfigMap is mounted as read-only files, which are updated with it", async () => {
    await cluster.createConfigMap("follow", { colour: "blue" });
    const text =
      "cat /v/colour; echo; touch /v/x 2>/dev/null || echo no; " +
      "while [ $(cat /v/colour) = blue ]; do sleep 0.05; done; cat /v/colour";
    const output = printed("follow", text, { configMap: { name: "follow" } });
    await until(async () => (await cluster.log("follow")).startsWith("blue\nno"));
    await cluster.setConfigMap("follow", { colour: "green" });
    expect(await output).toBe("blue\nno\ngreen");
  });

  test("a pod waits for a missing Secret, and starts once it exists", async () => {
    const output = printed("late", "cat /v/key", { secret: { secretName: "late" } });
    const failure = 'MountVolume.SetUp failed for volume "v" : secret "late" not found';
    await until(async () => (await cluster.eventsOf("late")).includes(`FailedMount: ${failure}`));
    await cluster.podThat("late", (pod) => stateOf(pod)?.waiting?.reason === "ContainerCreating");
    await cluster.createSecret("late", { key: "there" });
    expect(await output).toBe("there");
  });

  test("containers of a pod share an emptyDir", async () => {
    const volumeMounts = [{ name: "v", mountPath: "/shared" }];
    const volumes = [{ name: "v", emptyDir: {} }];
    await cluster.createPod("share", {
      initContainers: [script("echo from init > /shared/file", { name: "init", volumeMounts })],
      containers: [script("cat /shared/file", { volumeMounts })],
      volumes,
    });
    const { metadata } = await cluster.over("share");
    expect(await cluster.log("share")).toBe("from init\n");
    const left = path.join(cluster.tally.dataDir, "volumes/pods", metadata.uid ?? "");
    await until(() => !existsSync(left));
  });

  test("an emptyDir in memory has the given size", async () => {
    const source = { emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
    const text = "df -k /v | tail -1 | awk '{print $1, $2}'";
    expect(await printed("memory", text, source)).toBe("tmpfs 1024\n");
  });

  test("a subPathExpr with a variable is expanded", async () => {
    const mount = { subPathExpr: "$(NAME)" };
    const volumeMounts = [
      { name: "v", mountPath: "/part", ...mount },
      { name: "v", mountPath: "/whole", readOnly: true },
    ];
    const env = [{ name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
    const text = "echo x > /part/file; cat /whole/part/file; touch /whole/y 2>/dev/null || echo no";
    const volumes = [{ name: "v", emptyDir: {} }];
    await cluster.createPod("part", { containers: [script(text, { volumeMounts, env })], volumes });
    await cluster.over("part");
    expect(await cluster.log("part")).toBe("x\nno\n");
  });

  test("a subPath that leads out of its volume is not mounted", async () => {
    const volumeMounts = [{ name: "v", mountPath: "/whole" }];
    const part = [{ name: "v", mountPath: "/part", subPath: "link" }];
    const volumes = [{ name: "v", emptyDir: {} }];
    await cluster.createPod("escape", {
      initContainers: [script("ln -s /etc /whole/link", { name: "init", volumeMounts })],
      containers: [script("cat /part/passwd", { volumeMounts: part })],
      volumes,
    });
    const why = 'failed to prepare subPath for volumeMount "v" of container "c"';
    await cluster.podThat("escape", (pod) => stateOf(pod)?.waiting?.message === why);
    await cluster.deletePod("escape", 0);
  });

  test("the fsGroup of a pod owns its files", async () => {
    const spec = { securityContext: { runAsUser: 1234, runAsGroup: 1234, fsGroup: 4711 } };
    const text = "touch /v/file && stat -c '%u %g' /v/file && id -G | tr ' ' '\\n' | grep 4711";
    expect(await printed("group", text, { emptyDir: {} }, { spec })).toBe("1234 4711\n4711\n");
  });
});

describe.runIf(isRoot).concurrent("claims and fields of a pod that runs in a sandbox", () => {
  test("an index is available in a variable and in a file", async () => {
    const fieldRef = { fieldPath: `metadata.labels['${INDEX}']` };
    const env = [{ name: "LABEL", valueFrom: { fieldRef } }];
    const volumes = [{ name: "v", downwardAPI: { items: [{ path: "index", fieldRef }] } }];
    const volumeMounts = [{ name: "v", mountPath: "/etc/podinfo" }];
    const text = 'echo "$LABEL $(cat /etc/podinfo/index) $JOB_COMPLETION_INDEX"';
    await cluster.createJob(
      "told",
      { completions: 3, parallelism: 3 },
      { containers: [script(text, { env, volumeMounts })], volumes },
    );
    await cluster.finished("told");
    const names = (await cluster.podsOf("told")).map(({ metadata }) => metadata.name ?? "");
    const logs = await Promise.all(names.map((name) => cluster.log(name)));
    expect(logs.sort()).toEqual(["0 0 0\n", "1 1 1\n", "2 2 2\n"]);
  });

  test("a claim outlives its pods, and its directory is deleted with it", async () => {
    const resources = { requests: { storage: "1Mi" } };
    const spec = { accessModes: ["ReadWriteOnce"], resources };
    const claims = `${CORE}/persistentvolumeclaims`;
    const metadata = { name: "kept" };
    await cluster.create(claims, { kind: "PersistentVolumeClaim", metadata, spec });
    const source = { persistentVolumeClaim: { claimName: "kept" } };
    await printed("writer", "echo kept > /v/file", source);
    expect(await printed("reader", "cat /v/file", source)).toBe("kept\n");
    const { json } = await cluster.tally.call("GET", `${claims}/kept`);
    await cluster.tally.call("DELETE", `${claims}/kept`);
    const made = path.join(cluster.tally.dataDir, "volumes/claims", json.spec.volumeName);
    await until(() => !existsSync(made));
  });

  test("each pod of a StatefulSet has its own claim, and gets it again", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const text = "echo $HOSTNAME >> /data/starts; sleep 600";
    await cluster.create("/apis/apps/v1/namespaces/default/statefulsets", {
      kind: "StatefulSet",
      metadata: { name: "set" },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: "set" } },
        template: {
          metadata: { labels: { app: "set" } },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [script(text, { volumeMounts })],
          },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
      },
    });
    const isRunning = ({ status }: { status: { phase?: string } }) => status.phase === "Running";
    const { metadata } = await cluster.podThat("set-1", isRunning);
    await cluster.deletePod("set-1", 0);
    await cluster.podThat("set-1", (pod) => isRunning(pod) && pod.metadata.uid !== metadata.uid);
    const source = { persistentVolumeClaim: { claimName: "data-set-1" } };
    await until(async () => {
      await cluster.tally.call("DELETE", `${CORE}/pods/look?gracePeriodSeconds=0`);
      await cluster.gone("look");
      return (await printed("look", "cat /v/starts", source)) === "set-1\nset-1\n";
    });
  });
});

/** The script of the original design, with its typing mistakes corrected. */
const DESIGN_SCRIPT = `#!/bin/sh
if [ ! -e /etc/annotations ]
then
  echo "$0: Cannot find /etc/annotations"
  exit 2
fi
I=$(cat /etc/annotations | grep ${INDEX} | cut -f 2 -d '"')
export I
FRUIT_0="apple"
FRUIT_1="banana"
FRUIT_2="cherry"
FRUIT=$(eval echo \\$"FRUIT_$I")
export FRUIT
COLOR_0="green"
COLOR_1="yellow"
COLOR_2="red"
COLOR=$(eval echo \\$"COLOR_$I")
export COLOR
`;

describe.runIf(isRoot).concurrent("the annotations volume and the script of the design", () => {
  const others = hasTool("busybox", "busybox-static") ? [["busybox", "sh"]] : [];
  const shells = [["sh"], ["dash"], ...others];

  test.each(shells)("in %s", async (...shell) => {
    const name = `fruits-${shell[0]}`;
    await cluster.createSecret(name, { "job-params.sh": DESIGN_SCRIPT });
    const command = [...shell, "-c", '. /etc/job-params.sh; echo "Have a nice $COLOR $FRUIT"'];
    const fieldRef = { fieldPath: "metadata.annotations" };
    const volumes = [
      { name: "annotations", downwardAPI: { items: [{ path: "annotations", fieldRef }] } },
      { name: "script", secret: { secretName: name } },
    ];
    const mountPath = "/etc/annotations";
    const volumeMounts = [
      { name: "annotations", mountPath, subPath: "annotations" },
      { name: "script", mountPath: "/etc/job-params.sh", subPath: "job-params.sh" },
    ];
    const containers = [{ name: "c", image: "busybox", command, volumeMounts }];
    await cluster.createJob(name, { completions: 3, parallelism: 3 }, { containers, volumes });
    await cluster.finished(name);
    const pods = await cluster.podsOf(name);
    const logs = await Promise.all(pods.map(({ metadata }) => cluster.log(metadata.name ?? "")));
    expect(logs.sort()).toEqual([
      "Have a nice green apple\n",
      "Have a nice red cherry\n",
      "Have a nice yellow banana\n",
    ]);
  });
});

describe.concurrent("a client of Kubernetes in a pod", () => {
  const LIST = `
    import { KubeConfig, BatchV1Api } from "@kubernetes/client-node";
    const config = new KubeConfig();
    config.loadFromCluster();
    const api = config.makeApiClient(BatchV1Api);
    const { items } = await api.listNamespacedJob({ namespace: "default" });
    console.log(items.map(({ metadata }) => metadata.name).filter((name) => /^lists/.test(name)));
  `;

  async function allow(account: string): Promise<void> {
    await cluster.create(`${CORE}/serviceaccounts`, {
      kind: "ServiceAccount",
      metadata: { name: account },
    });
    const rules = [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "list"] }];
    const metadata = { name: account };
    await cluster.create(`${RBAC}/roles`, { kind: "Role", metadata, rules });
    await cluster.create(`${RBAC}/rolebindings`, {
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: "default" }],
    });
  }

  test.runIf(isRoot)("lists its own Job with the mounted token", async () => {
    await allow("lister");
    const command = [process.execPath, "--input-type=module", "-e", LIST];
    const container = {
      name: "c",
      image: "node",
      command,
      workingDir: projectFile("."),
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    };
    const volumes = [{ name: "v", emptyDir: {} }];
    await cluster.createJob(
      "lists",
      { completions: 1 },
      { containers: [container], volumes, serviceAccountName: "lister" },
    );
    await cluster.finished("lists");
    const [pod] = await cluster.podsOf("lists");
    expect(await cluster.log(pod?.metadata.name ?? "")).toBe("[ 'lists' ]\n");
  });

  test("finds its token by an environment variable in the process runtime", async () => {
    await allow("curler");
    const text =
      "curl -s --cacert $TALLY_SERVICEACCOUNT_DIR/ca.crt " +
      '-H "Authorization: Bearer $(cat $TALLY_SERVICEACCOUNT_DIR/token)" ' +
      "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT" +
      '/apis/batch/v1/namespaces/default/jobs/asks | grep -o \'"name":"asks"\' | head -1';
    const spec = { containers: [script(text)], serviceAccountName: "curler" };
    await cluster.createJob("asks", { completions: 1 }, spec);
    await cluster.finished("asks");
    const [pod] = await cluster.podsOf("asks");
    expect(await cluster.log(pod?.metadata.name ?? "")).toBe('"name":"asks"\n');
  });

  test("has no token if automountServiceAccountToken is false", async () => {
    const text = "echo [$TALLY_SERVICEACCOUNT_DIR]";
    const containers = [script(text)];
    await cluster.createPod("tokenless", { containers, automountServiceAccountToken: false });
    await cluster.over("tokenless");
    expect(await cluster.log("tokenless")).toBe("[]\n");
  });
});
