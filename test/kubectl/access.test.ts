/** Tokens, certificates, impersonation, roles and quotas, as kubectl sees them. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { projectFile } from "../support/project-file.ts";
import { kubectlTests, type Outcome, type Prompt } from "./prompt.ts";

const check = kubectlTests(["--no-agent"]);

/** Runs kubectl with the credentials of another user and none of the administrator's. */
async function asUser(prompt: Prompt, user: object, command: string): Promise<Outcome> {
  const { url, ca } = prompt.tally;
  const authority = Buffer.from(ca).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": authority } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: prompt.namespace } }],
    "current-context": "x",
  };
  const file = path.join(prompt.home, `${prompt.namespace}.kubeconfig`);
  await writeFile(file, JSON.stringify(config));
  return prompt.kubectl(command, { env: { KUBECONFIG: file } });
}

/**
 * Repeats the command until its output matches. Each kubectl takes a while, so there is no pause.
 */
async function until(prompt: Prompt, command: string, pattern: RegExp): Promise<void> {
  let printed = "";
  for (let round = 0; round < 100; round++) {
    printed = await prompt.prints(command);
    if (pattern.test(printed)) return;
  }
  expect(printed).toMatch(pattern);
}

check("a token belongs to its account, whose rights come from roles", async (prompt) => {
  const { namespace } = prompt;
  await prompt.prints("create serviceaccount robot");
  const token = (await prompt.prints("create token robot")).trim();
  const robot = `system:serviceaccount:${namespace}:robot`;
  const whoami = await asUser(prompt, { token }, "auth whoami");
  expect(whoami.stdout).toContain(robot);
  const refused = await asUser(prompt, { token }, "get pods");
  expect(refused.stderr).toBe(
    `Error from server (Forbidden): pods is forbidden: User "${robot}" cannot list resource ` +
      `"pods" in API group "" in the namespace "${namespace}"\n`,
  );
  await prompt.prints("create role reader --verb=get,list,watch --resource=pods,pods/log");
  await prompt.prints(
    `create rolebinding reader --role=reader --serviceaccount=${namespace}:robot`,
  );
  expect((await asUser(prompt, { token }, "get pods")).code).toBe(0);
  expect((await asUser(prompt, { token }, "get pods -A")).stderr).toContain("at the cluster scope");
  await prompt.prints("delete serviceaccount robot");
  expect((await asUser(prompt, { token }, "get pods")).stderr).toMatch(/Unauthorized|logged in/);
});

check("can-i answers correctly for other users", async (prompt) => {
  const { namespace } = prompt;
  await prompt.prints("create rolebinding e --clusterrole=edit --user=eve");
  expect(await prompt.prints("auth can-i create jobs --as eve")).toBe("yes\n");
  expect((await prompt.kubectl("auth can-i create roles --as eve")).stdout).toBe("no\n");
  const list = await prompt.prints("auth can-i --list --as eve");
  expect(list).toMatch(/^jobs\.batch +\[\] +\[\] +\[.*create.*\]$/m);
  expect(list).toMatch(/^selfsubjectaccessreviews\.authorization\.k8s\.io +/m);
  expect(list).not.toMatch(/^\*\.\*/m);
  const own = await prompt.prints("auth can-i --list");
  expect(own).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  expect((await prompt.kubectl("get nodes --as eve")).stderr).toContain('User "eve" cannot list');
  const asGroup = `auth can-i get pods --as x --as-group system:masters -n ${namespace}`;
  expect(await prompt.prints(asGroup)).toBe("yes\n");
});

check("a certificate determines the name and groups of a user", async (prompt) => {
  const { namespace, tally } = prompt;
  const devs = `devs-${namespace}`;
  const command = ["kubeconfig", "alice", "--trusted", "--group", devs, "--data", tally.dataDir];
  const program = [projectFile("dist/main.js"), ...command];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  const file = path.join(prompt.home, "alice.kubeconfig");
  await writeFile(file, stdout);
  const alice = (words: string) => prompt.kubectl(words, { env: { KUBECONFIG: file } });
  const whoami = (await alice("auth whoami -o jsonpath={.status.userInfo.username}")).stdout;
  expect(whoami).toBe("alice");
  expect((await alice(`get jobs -n ${namespace}`)).stderr).toContain('User "alice" cannot list');
  await prompt.prints(`create rolebinding devs --clusterrole=view --group=${devs}`);
  expect((await alice(`get jobs -n ${namespace}`)).code).toBe(0);
  expect((await alice(`create sa x -n ${namespace}`)).stderr).toContain(
    'User "alice" cannot create',
  );
});

check("roles are reconciled, described and aggregated", async (prompt) => {
  const { namespace } = prompt;
  const label = `aggregate-${namespace}`;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: `part-${namespace}`, labels: { [label]: "true" } };
  const rules = [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] }];
  const stdin = { apiVersion, kind: "ClusterRole", metadata, rules };
  const reconcile = await prompt.kubectl("auth reconcile -f -", { stdin });
  expect(reconcile.stdout).toContain(`clusterrole.rbac.authorization.k8s.io/part-${namespace}`);
  const selector = `--aggregation-rule=${label}=true`;
  await prompt.prints(`create clusterrole whole-${namespace} ${selector}`);
  const shown = `get clusterrole whole-${namespace} -o jsonpath={.rules[0].resources[0]}`;
  await until(prompt, shown, /^jobs$/);
  await prompt.prints(`create rolebinding b --clusterrole=whole-${namespace} --user=u1 --group=g1`);
  expect(await prompt.prints("get rolebinding b -o wide --no-headers")).toMatch(
    new RegExp(`^b +ClusterRole/whole-${namespace} +\\S+ +u1 +g1 *\\n$`),
  );
  expect(
    await prompt.refuses(["patch", "rolebinding", "b", "-p", '{"roleRef":{"name":"x"}}']),
  ).toContain("cannot change roleRef");
});

check("a Job whose pods exceed a quota reports it, and continues with room", async (prompt) => {
  await prompt.prints("create quota q --hard=pods=1");
  await prompt.prints("create job wide --image=busybox -- true");
  await prompt.prints(["patch", "job", "wide", "-p", '{"spec":{"parallelism":1}}']);
  await prompt.prints("create job late --image=busybox -- true");
  const events = "get events --field-selector involvedObject.name=late,reason=FailedCreate";
  const message = `${events} -o jsonpath={.items[0].message}`;
  await until(
    prompt,
    message,
    /^Error creating: pods "late-\w+" is forbidden: exceeded quota: q, requested: pods=1, used: /,
  );
  expect(await prompt.prints("get quota q -o jsonpath={.status.used.pods}")).toBe("1");
  await prompt.prints(["patch", "quota", "q", "-p", '{"spec":{"hard":{"pods":"2"}}}']);
  const pods = "get pods -l job-name=late -o name";
  await until(prompt, pods, /^pod\/late-/);
});
