/** An unmodified kubectl with containers of Podman, and reasons why containers do not start. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster, stateOf, until } from "../agent/cluster.ts";
import { freePort } from "../cluster/component.ts";
import { Podman } from "../containers/podman.ts";
import { findKubectl } from "../kubectl/find-kubectl.ts";
import { follow, type Running } from "../kubectl/prompt.ts";

const podman = Podman.isThere() ? await Podman.start() : undefined;
const kubectl = await findKubectl();
const IMAGE = "busybox:1.36";

/** Serves on all addresses and on its loopback address, and repeats its input. */
const SERVER = `
mkdir /www; echo hello > /www/index.html
httpd -p 80 -h /www; httpd -p 127.0.0.1:8080 -h /www
while read line; do echo got $line; done
exec sleep 1000
`;

describe.runIf(podman !== undefined && "path" in kubectl)("containers under kubectl", () => {
  let playground: Playground;
  beforeAll(async () => {
    playground = await Playground.start();
  });
  afterAll(async () => {
    await playground?.dispose();
    await podman?.dispose();
  });
  const on = () => playground;
  describe("a running container", () => streamTests(on));
  describe("a container that does not start", () => startTests(on));
});

function streamTests(on: () => Playground): void {
  test("cp copies files into the container and back", async () => {
    const [there, back] = [path.join(on().directory, "there"), path.join(on().directory, "back")];
    writeFileSync(there, "from here\n");
    await on().said("cp", there, "web:/tmp/file");
    expect(await on().said("exec", "web", "--", "cat", "/tmp/file")).toBe("from here\n");
    await on().said("cp", "web:/www/index.html", back);
    expect(readFileSync(back, "utf8")).toBe("hello\n");
  });

  test("attach connects to the process itself", async () => {
    const attached = on().startTyping("one\\ntwo\\n", ["attach", "-i", "web"]);
    await attached.until(/got one\ngot two\n/);
  });

  test("port-forward reaches its ports, also those on its loopback address", async () => {
    const forward = on().start(["port-forward", "pod/web", ":80", ":8080"]);
    await forward.until(/-> 8080/);
    for (const [, port] of forward.said().matchAll(/127\.0\.0\.1:(\d+) ->/g)) {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      expect(await answer.text()).toBe("hello\n");
    }
    forward.process.kill();
    await forward.ended;
  });

  test("debug adds a container that shares its network and processes", async () => {
    const script = "wget -q -O - http://127.0.0.1:8080/; ps | grep -q '[h]ttpd -p 80' && echo seen";
    const how = ["--image", IMAGE, "--target", "c", "--container", "debugger"];
    await on().said("debug", "web", ...how, "--", "sh", "-c", script);
    await until(async () => {
      const states = (await on().cluster.findPod("web"))?.status.ephemeralContainerStatuses ?? [];
      return states[0]?.state?.terminated !== undefined;
    });
    expect(await on().said("logs", "web", "-c", "debugger")).toBe("hello\nseen\n");
  });

  test("logs --previous prints the log of the previous run", async () => {
    const restarting = ["sh", "-c", "cat /proc/sys/kernel/random/uuid; sleep 5; exit 1"];
    await on().run("again", { command: restarting }, { restartPolicy: "Always" });
    const restarts = (count: number) =>
      on().cluster.podThat("again", ({ status }) => {
        const [first] = status.containerStatuses ?? [];
        // Between two runs, both logs are those of the ended run.
        return first?.restartCount === count && first.state?.running !== undefined;
      });
    await restarts(1);
    const second = await on().said("logs", "again");
    expect(await on().said("logs", "again", "--previous")).not.toBe(second);
    await restarts(2);
    expect(await on().said("logs", "again", "--previous")).toBe(second);
  });
}

function startTests(on: () => Playground): void {
  test("a host port belongs to one pod: another waits, or is rejected if pinned", async () => {
    const ports = [{ containerPort: 80, hostPort: on().hostPort }];
    expect(await (await fetch(`http://127.0.0.1:${on().hostPort}/`)).text()).toBe("hello\n");
    await on().run("second", { command: ["true"], ports });
    const told = "didn't have free ports for the requested pod ports";
    await until(async () => (await on().cluster.eventsOf("second")).join().includes(told));
    const { nodeName } = (await on().cluster.findPod("web"))?.spec ?? {};
    await on().run("pinned", { command: ["true"], ports }, { nodeName });
    expect((await on().cluster.over("pinned")).status).toMatchObject({
      phase: "Failed",
      reason: "NodePorts",
      message: `Pod was rejected: Predicate NodePorts failed: node(s) ${told}`,
    });
  });

  test("a host port used by another program is reported, and the pod waits", async () => {
    const port = Number(new URL(on().cluster.tally.url).port);
    const ports = [{ containerPort: 80, hostPort: port, hostIP: "127.0.0.1" }];
    await on().run("taken", { command: ["true"], ports });
    const told = "FailedCreatePodSandBox: Failed to create pod sandbox: ";
    await until(async () =>
      (await on().cluster.eventsOf("taken")).some((each) => each.startsWith(told)),
    );
    const pod = await on().cluster.findPod("taken");
    expect(pod && stateOf(pod)).toEqual({ waiting: { reason: "ContainerCreating" } });
  });

  test("that would run as root and must not is reported with kubelet's message", async () => {
    await on().run("root", { command: ["true"], securityContext: { runAsNonRoot: true } });
    const { metadata, status } = await on().cluster.podThat(
      "root",
      (pod) => stateOf(pod)?.waiting?.reason === "CreateContainerConfigError",
    );
    const where = `(pod: "root_default(${metadata.uid})", container: c)`;
    const message = `container has runAsNonRoot and image will run as root ${where}`;
    expect(status.containerStatuses?.[0]?.state?.waiting?.message).toBe(message);
    await until(async () =>
      (await on().cluster.eventsOf("root")).includes(`Failed: Error: ${message}`),
    );
  });
}

/** A server with a pod "web", and a kubectl for it. */
class Playground {
  readonly directory = mkdtempSync(path.join(tmpdir(), "tally-streams-"));

  private constructor(
    readonly cluster: Cluster,
    /** The host port of the pod. */
    readonly hostPort: number,
  ) {}

  static async start(): Promise<Playground> {
    const env = { CONTAINER_HOST: `unix://${podman?.socket}`, DOCKER_HOST: "" };
    const cluster = await Cluster.start({ args: ["--default-runtime=podman"], env });
    const playground = new Playground(cluster, await freePort());
    const ports = [{ containerPort: 80, hostPort: playground.hostPort }];
    await playground.run("web", { command: ["sh", "-c", SERVER], stdin: true, ports });
    await cluster.podThat("web", (pod) => stateOf(pod)?.running !== undefined);
    return playground;
  }

  run(name: string, container: object, fields: object = {}): Promise<void> {
    const containers = [{ name: "c", image: IMAGE, ...container }];
    const spec = { terminationGracePeriodSeconds: 0, ...fields, containers };
    return this.cluster.createPod(name, spec);
  }

  start(args: readonly string[]): Running {
    return follow("path" in kubectl ? kubectl.path : "", args, this.environment(), "");
  }

  /** Runs kubectl with an input that stays open, as if a user typed; it ends with the server. */
  startTyping(lines: string, args: readonly string[]): Running {
    const script = `{ printf '${lines}'; sleep 60; } | "$0" "$@"`;
    const program = "path" in kubectl ? kubectl.path : "";
    return follow("sh", ["-c", script, program, ...args], this.environment(), "");
  }

  async said(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.start(args).ended;
    expect(code, stderr).toBe(0);
    return stdout;
  }

  async dispose(): Promise<void> {
    await this.cluster.dispose();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private environment(): Record<string, string> {
    const { kubeconfig } = this.cluster.tally;
    return { PATH: process.env["PATH"] ?? "", HOME: this.directory, KUBECONFIG: kubeconfig };
  }
}
