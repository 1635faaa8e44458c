/**
 * A user with the role "edit" in one namespace of a shared server tries to reach the host: by what
 * a pod requests, by a template from which a controller creates pods, by changing a pod, by the
 * labels of the namespace. In a namespace that the administrator has labelled privileged, the same
 * requests are permitted.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, call } from "../support/call-server.ts";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";

type Fields = { readonly [field: string]: unknown };

let tally: Tally;
let token: string;

beforeAll(async () => {
  tally = await startTally({
    args: ["--shared", "--allowed-runtimes=sandbox,engine,process", "--controllers=job,cronjob"],
  });
  const privileged = { "pod-security.kubernetes.io/enforce": "privileged" };
  await make("/api/v1/namespaces", { metadata: { name: "own" } });
  await make("/api/v1/namespaces", { metadata: { name: "loose", labels: privileged } });
  await make("/api/v1/namespaces/own/serviceaccounts", { metadata: { name: "mallory" } });
  for (const namespace of ["own", "loose"]) await grant(namespace);
  const where = "/api/v1/namespaces/own/serviceaccounts/mallory/token";
  const answer = await tally.call("POST", where, { spec: {} });
  token = answer.json.status.token;
});

afterAll(() => tally.dispose());

/** Grants the role "edit", and the permission that "kubectl debug" needs. */
async function grant(namespace: string): Promise<void> {
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const subjects = [{ kind: "ServiceAccount", name: "mallory", namespace: "own" }];
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: [""], resources: ["pods/ephemeralcontainers"], verbs: ["*"] }];
  await make(`${roles}/roles`, { metadata: { name: "debug" }, rules });
  for (const [kind, name] of Object.entries({ ClusterRole: "edit", Role: "debug" })) {
    const roleRef = { apiGroup, kind, name };
    await make(`${roles}/rolebindings`, { metadata: { name }, subjects, roleRef });
  }
}

async function make(path: string, body: Fields): Promise<void> {
  const { status, text } = await tally.call("POST", path, body);
  if (status !== 201) throw new Error(text);
}

function ask(method: string, path: string, body?: Fields, headers?: object): Promise<Answer> {
  return call({ url: tally.url, token }, method, path, body, headers);
}

const CONTAINER = { name: "c", image: "busybox", command: ["true"] };

function withContainer(more: Fields): Fields {
  return { containers: [{ ...CONTAINER, ...more }] };
}

const ATTACKS: { readonly [name: string]: Fields } = {
  "a process of the host": { runtimeClassName: "process" },
  "the root of the host": { volumes: [{ name: "v", hostPath: { path: "/" } }] },
  "the network of the host": { hostNetwork: true },
  "the processes of the host": { hostPID: true },
  "the IPC namespace of the host": { hostIPC: true },
  "added capabilities": withContainer({
    securityContext: { capabilities: { add: ["SYS_PTRACE"] } },
  }),
  "all capabilities": withContainer({ securityContext: { capabilities: { add: ["ALL"] } } }),
  "capabilities of an init container": {
    initContainers: [
      { ...CONTAINER, name: "i", securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
    ],
  },
  "a port of the host": withContainer({ ports: [{ containerPort: 80, hostPort: 8080 }] }),
  "an unconfined SELinux type": withContainer({
    securityContext: { seLinuxOptions: { type: "spc_t" } },
  }),
  "an unconfined seccomp profile": {
    securityContext: { seccompProfile: { type: "Unconfined" } },
  },
  "a sysctl of the host": { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
};

function pod(name: string, spec: Fields): Fields {
  return { metadata: { name }, spec: { containers: [CONTAINER], ...spec } };
}

test.each(Object.entries(ATTACKS))("a pod does not get %s", async (_, spec) => {
  const refused = await ask("POST", "/api/v1/namespaces/own/pods", pod("p", spec));
  expect(refused.json).toMatchObject({ code: 403, reason: "Forbidden" });
  expect(refused.json.message).toMatch(/^pods "p" is forbidden: violates PodSecurity "baseline:/);
});

test.each(Object.entries(ATTACKS))(
  "a namespace labelled privileged permits %s",
  async (_, spec) => {
    const path = "/api/v1/namespaces/loose/pods?dryRun=All";
    const { status, text } = await ask("POST", path, pod("p", spec));
    expect({ status, text }).toMatchObject({ status: 201 });
  },
);

test("a privileged container is rejected in every namespace", async () => {
  const spec = withContainer({ securityContext: { privileged: true } });
  for (const namespace of ["own", "loose"]) {
    const { status } = await ask("POST", `/api/v1/namespaces/${namespace}/pods`, pod("p", spec));
    expect(status).toBe(422);
  }
});

test.each(Object.entries(ATTACKS))("the pods of a Job do not get %s", async (what, spec) => {
  const name = what.replaceAll(/[^a-z]/g, "-");
  const template = { spec: { containers: [CONTAINER], restartPolicy: "Never", ...spec } };
  const body = { metadata: { name }, spec: { template } };
  const made = await ask("POST", "/apis/batch/v1/namespaces/own/jobs", body);
  expect(made.status).toBe(201);
  expect(made.headers["warning"]).toContain("would violate PodSecurity");
  const events = `/api/v1/namespaces/own/events?fieldSelector=involvedObject.name%3D${name}`;
  const messages = async (): Promise<string[]> =>
    (await ask("GET", events)).json.items.map(({ message }: { message: string }) => message);
  await poll(messages).toContainEqual(
    expect.stringMatching(/^Error creating: pods "\S+" is forbidden: violates PodSecurity/),
  );
  const selector = `?labelSelector=job-name%3D${name}`;
  expect((await ask("GET", `/api/v1/namespaces/own/pods${selector}`)).json.items).toEqual([]);
});

test("a Deployment whose pods would be rejected gets a warning", async () => {
  const labels = { app: "d" };
  const template = { metadata: { labels }, spec: { containers: [CONTAINER], hostPID: true } };
  const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } };
  const made = await ask("POST", "/apis/apps/v1/namespaces/own/deployments", body);
  expect(made.headers["warning"]).toContain("would violate PodSecurity");
});

const STRATEGIC = { "Content-Type": "application/strategic-merge-patch+json" };
const MERGE = { "Content-Type": "application/merge-patch+json" };

test("changing a pod does not give access to the host", async () => {
  const pods = "/api/v1/namespaces/own/pods";
  expect((await ask("POST", pods, pod("changed", {}))).status).toBe(201);
  for (const spec of Object.values(ATTACKS)) {
    const { status } = await ask("PATCH", `${pods}/changed`, { spec }, STRATEGIC);
    expect([403, 422]).toContain(status);
  }
  const securityContext = { capabilities: { add: ["SYS_ADMIN"] } };
  const spec = { ephemeralContainers: [{ ...CONTAINER, name: "d", securityContext }] };
  const path = `${pods}/changed/ephemeralcontainers`;
  const refused = await ask("PATCH", path, { spec }, STRATEGIC);
  expect(refused.status).toBe(403);
  expect(refused.json.message).toContain("non-default capabilities");
});

test("an editor cannot change the Pod Security level of a namespace", async () => {
  const label = "pod-security.kubernetes.io/enforce";
  const change = { metadata: { labels: { [label]: "privileged" } } };
  const own = "/api/v1/namespaces/own";
  expect((await ask("PATCH", own, change, MERGE)).status).toBe(403);
  expect((await ask("PUT", own, { metadata: { name: "own", ...change.metadata } })).status).toBe(
    403,
  );
  const added = { metadata: { name: "mine", labels: { [label]: "privileged" } } };
  expect((await ask("POST", "/api/v1/namespaces", added)).status).toBe(403);
  const refused = await ask("POST", `${own}/pods`, pod("p", { hostPID: true }));
  expect(refused.status).toBe(403);
});
