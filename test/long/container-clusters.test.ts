/**
 * Jobs and StatefulSets whose pods are containers: they reach each other, and leave nothing behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster, lastCondition, until } from "../agent/cluster.ts";
import { BUSYBOX, Podman } from "../containers/podman.ts";

const CORE = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";

const podman = Podman.isThere() ? await Podman.start() : undefined;

describe.runIf(podman !== undefined)("containers", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const env = { CONTAINER_HOST: `unix://${podman?.socket}`, DOCKER_HOST: "" };
    cluster = await Cluster.start({ args: ["--default-runtime=podman"], env });
  });
  afterAll(async () => {
    await cluster?.dispose();
    const left = await podman?.left();
    await podman?.dispose();
    expect(left).toEqual([]);
  });

  test("of an Indexed Job reach each other by name, all on one port", async () => {
    const selector = { "batch.kubernetes.io/job-name": "mesh" };
    await cluster.create(`${CORE}/services`, {
      kind: "Service",
      metadata: { name: "mesh-svc" },
      spec: { clusterIP: "None", selector },
    });
    const spec = { completions: 10, parallelism: 10 };
    const containers = [{ name: "c", image: BUSYBOX, command: ["sh", "-c", MEETING] }];
    await cluster.createJob("mesh", spec, { subdomain: "mesh-svc", containers });
    expect(lastCondition(await cluster.finished("mesh"))).toBe("Complete");
    for (const { metadata } of await cluster.podsOf("mesh")) {
      expect(await cluster.log(metadata.name ?? "")).toMatch(/^(met \d\n){10}$/);
    }
  });

  test("of a StatefulSet serve the same port, by their own names and by one address", async () => {
    for (const [name, clusterIP] of [
      ["web", "None"],
      ["web-one", undefined],
    ] as const) {
      const ports = [{ port: 80 }];
      const spec = { selector: { app: "web" }, ports, ...(clusterIP ? { clusterIP } : {}) };
      await cluster.create(`${CORE}/services`, { kind: "Service", metadata: { name }, spec });
    }
    const containers = [{ name: "c", image: BUSYBOX, command: ["sh", "-c", WEB_SERVER] }];
    await cluster.create(`${APPS}/statefulsets`, {
      kind: "StatefulSet",
      metadata: { name: "web" },
      spec: {
        serviceName: "web",
        replicas: 3,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers } },
      },
    });
    await cluster.podThat("web-2", ({ status }) => status.phase === "Running");
    await cluster.createPod("visitor", {
      containers: [{ name: "c", image: BUSYBOX, command: ["sh", "-c", VISIT] }],
    });
    expect((await cluster.over("visitor")).status.phase).toBe("Succeeded");
    expect(await cluster.log("visitor")).toMatch(/^web-0\nweb-1\nweb-2\nweb-\d\n$/);
    await cluster.tally.call("DELETE", `${APPS}/statefulsets/web`);
    for (const index of [0, 1, 2]) await cluster.gone(`web-${index}`);
  });

  test("of a hundred pods leave nothing, even if the server is killed meanwhile", async () => {
    const spec = { completions: 100, parallelism: 10, ttlSecondsAfterFinished: 0 };
    const container = { name: "c", image: BUSYBOX, command: ["sh", "-c", "sleep 0.2"] };
    await cluster.createJob("many", spec, { containers: [container] });
    await until(async () => ((await cluster.findJob("many")).status?.succeeded ?? 0) >= 50);
    await cluster.tally.kill();
    await cluster.startAgain();
    await until(async () => (await cluster.findJob("many")).kind === "Status");
    await until(async () => (await cluster.podsOf("many")).length === 0);
    const containers = (name: string) => name.startsWith("container");
    await until(async () => (await podman?.left())?.some(containers) === false);
  });
});

/** This busybox has no C library, so only its nslookup applet can resolve names. */
const LOOK_UP = `
address() {
  nslookup $1.default.svc.cluster.local > /tmp/found 2>&1 || return 1
  sed -n '/^Name:/,$ s/^Address: *//p' /tmp/found | head -n 1
}
`;

/** All pods exist when the first one looks up names: a name without an answer fails the test. */
const MEETING = `
${LOOK_UP}
echo $JOB_COMPLETION_INDEX > /tmp/index
httpd -f -p 8080 -h /tmp &
for i in 0 1 2 3 4 5 6 7 8 9; do
  other=$(address mesh-$i.mesh-svc) || { cat /tmp/found; exit 1; }
  until wget -q -O /tmp/other http://$other:8080/index 2>/dev/null; do sleep 0.2; done
  echo met $(cat /tmp/other)
done
sleep 5
kill %1
`;

const WEB_SERVER = "mkdir /www; hostname > /www/index.html; exec httpd -f -p 80 -h /www";

const VISIT = `
${LOOK_UP}
for host in web-0.web web-1.web web-2.web web-one; do
  until other=$(address $host) && wget -q -O - http://$other/ 2>/dev/null; do sleep 0.2; done
done
`;
