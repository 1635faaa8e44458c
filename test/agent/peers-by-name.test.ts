import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { canMakeNetworks, createPeersService, runPeers } from "./peers-by-name.ts";

const CORE = "/api/v1/namespaces/default";

describe.skipIf(!canMakeNetworks)("pods with networks of their own [needs NET_ADMIN]", () => {
  let tally: Tally;

  beforeAll(async () => {
    tally = await startTally({ hasAgent: true });
    await createPeersService(tally);
  });

  afterAll(() => tally.dispose());

  test("can resolve each other by name even before the first of them has started", async () => {
    await runPeers(tally);
  });

  test("reach a Service and the server by name and by address, and so does the host", async () => {
    const listen = 'require("http").createServer((_, to) => to.end("hello")).listen(8080)';
    await create("services", {
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "web" }] },
    });
    const ports = [{ name: "web", containerPort: 8080 }];
    await aPod("web", ["-e", listen], { labels: { app: "web" }, ports });
    await aPod("asker", ["-e", ASKER]);
    const phase = async () => (await tally.call("GET", `${CORE}/pods/asker`)).json.status.phase;
    await poll(phase).toBe("Succeeded");
    const said = await tally.call("GET", `${CORE}/pods/asker/log`);
    expect(said.text).toBe("hello\n401\n");

    const { clusterIP } = (await tally.call("GET", `${CORE}/services/web`)).json.spec;
    expect(await (await fetch(`http://${clusterIP}/`)).text()).toBe("hello");
    const kubeDns = await tally.call("GET", "/api/v1/namespaces/kube-system/services/kube-dns");
    const resolver = new Resolver({ timeout: 2000 });
    resolver.setServers([kubeDns.json.spec.clusterIP]);
    expect(await resolver.resolve4("web.default.svc.cluster.local")).toEqual([clusterIP]);
    const peer = "my-job-0.my-job-svc.default.svc.cluster.local";
    await expect(resolver.resolve4(peer)).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  test("of a StatefulSet have DNS names, and a Service can select one index of a Job", async () => {
    for (const [resource, object] of STORIES) await create(resource, object);
    await aPod("names", ["-e", ASK_NAMES]);
    const phase = async () => (await tally.call("GET", `${CORE}/pods/names`)).json.status.phase;
    await poll(phase).toBe("Succeeded");
    const said = await tally.call("GET", `${CORE}/pods/names/log`);
    expect(said.text).toBe("set-0\nset-1\nworkers-1\nworkers-1\nworkers-1\n");
    const { status } = (await tally.call("GET", `${CORE}/pods/set-0`)).json;
    expect(status.containerStatuses[0].containerID).toMatch(/^sandbox:/);
  });

  async function create(resource: string, object: object): Promise<void> {
    const group = GROUPS[resource] ?? CORE;
    const answer = await tally.call("POST", `${group}/${resource}`, object);
    expect(answer.status, answer.text).toBe(201);
  }

  /** A pod with a subdomain gets a DNS name. */
  async function aPod(
    name: string,
    args: readonly string[],
    { labels = {}, ports = [] }: Own = {},
  ) {
    const container = { name: "c", image: "none", command: [process.execPath, ...args], ports };
    const spec = { subdomain: "web", restartPolicy: "Never", containers: [container] };
    await create("pods", { metadata: { name, labels }, spec });
  }
});

interface Own {
  readonly labels?: object;
  readonly ports?: readonly object[];
}

const GROUPS: { readonly [resource: string]: string } = {
  statefulsets: "/apis/apps/v1/namespaces/default",
  jobs: "/apis/batch/v1/namespaces/default",
};

const TELL_NAME = `
const name = require("os").hostname();
require("http").createServer((_, to) => to.end(name)).listen(8080);
`;

const TELLERS = [{ name: "c", image: "none", command: [process.execPath, "-e", TELL_NAME] }];

const SET = {
  serviceName: "set",
  replicas: 2,
  selector: { matchLabels: { app: "set" } },
  template: { metadata: { labels: { app: "set" } }, spec: { containers: TELLERS } },
};

const JOB = {
  completionMode: "Indexed",
  completions: 3,
  parallelism: 3,
  template: { spec: { restartPolicy: "Never", subdomain: "workers", containers: TELLERS } },
};

/** The second story of KEP-4017: one index of a Job has its own Service. */
const LEADER = {
  selector: {
    "batch.kubernetes.io/job-name": "workers",
    "batch.kubernetes.io/job-completion-index": "1",
  },
  ports: [{ port: 80, targetPort: 8080 }],
};

const STORIES: readonly (readonly [resource: string, object: object])[] = [
  [
    "services",
    { metadata: { name: "set" }, spec: { clusterIP: "None", selector: { app: "set" } } },
  ],
  ["statefulsets", { metadata: { name: "set" }, spec: SET }],
  ["services", { metadata: { name: "leader" }, spec: LEADER }],
  ["jobs", { metadata: { name: "workers" }, spec: JOB }],
];

/** Retries each name until it answers: a StatefulSet creates its pods one after the other. */
const ASK_NAMES = `
const ask = (host) => fetch("http://" + host + "/").then((answer) => answer.text())
  .catch(() => new Promise((r) => setTimeout(r, 50)).then(() => ask(host)));
(async () => {
  const leaders = ["leader", "leader", "leader"];
  for (const host of ["set-0.set:8080", "set-1.set.default:8080", ...leaders])
    console.log(await ask(host));
})();
`;

/** Waits until the Service has an endpoint, then calls it and the server, both by name. */
const ASKER = `
const ask = () => fetch("http://web/").catch(() => new Promise((r) => setTimeout(r, 50)).then(ask));
ask().then((answer) => answer.text()).then((text) => {
  console.log(text);
  const account = "/var/run/secrets/kubernetes.io/serviceaccount";
  const ca = require("fs").readFileSync(account + "/ca.crt");
  const headers = { authorization: "Bearer nobody" };
  const server = { host: "kubernetes.default.svc", path: "/api/v1/pods", ca, headers };
  require("https").get(server, (answer) => console.log(answer.statusCode) ?? answer.resume());
});
`;
