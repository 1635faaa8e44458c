import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { canMakeNetworks, createPeersService, runPeers } from "./peers-by-name.ts";

const CORE = "/api/v1/namespaces/default";

describe.skipIf(!canMakeNetworks)("pods with networks of their own [needs NET_ADMIN]", () => {
  let tally: Tally;

  beforeAll(async () => {
    tally = await startTally({ hasAgent: true });
    await createPeersService(tally);
  }, 30_000);

  afterAll(() => tally.dispose());

  test("find each other by name before the first of them has begun", async () => {
    await runPeers(tally);
  }, 90_000);

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
    await expect.poll(phase, { timeout: 30_000 }).toBe("Succeeded");
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
  }, 60_000);

  async function create(resource: string, object: object): Promise<void> {
    const answer = await tally.call("POST", `${CORE}/${resource}`, object);
    expect(answer.status, answer.text).toBe(201);
  }

  /** A subdomain makes a pod one with names. */
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

/** Waits for the Service to have an endpoint, then asks it and the server, both by name. */
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
