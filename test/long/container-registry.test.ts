/** Images from a registry that requires a login: by tag, by digest, with and without secrets. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event, Pod } from "../../src/api/generated/core.ts";
import { Cluster, stateOf, until } from "../agent/cluster.ts";
import { BUSYBOX, Podman } from "../containers/podman.ts";
import { LOGIN, Registry } from "../containers/registry.ts";

const CORE = "/api/v1/namespaces/default";
const isThere = Podman.isThere() && Registry.isThere();

describe.runIf(isThere)("images of a registry", () => {
  let pulls: Pulls;
  beforeAll(async () => {
    pulls = await Pulls.start();
    await pulls.setSecret("right", LOGIN.password);
  });
  afterAll(() => pulls?.dispose());
  const of = () => pulls;
  describe("with secrets", () => secretTests(of));
  describe("by name", () => nameTests(of));
});

function secretTests(pulls: () => Pulls): void {
  test("are pulled once the secret is right, and before that the reason is reported", async () => {
    await pulls().push("guarded", "v1", "first");
    await pulls().run("without", "guarded:v1", { imagePullSecrets: [{ name: "later" }] });
    await pulls().cluster.podThat("without", isWaitingFor("ImagePullBackOff"));
    const wanting = "Unable to retrieve some image pull secrets (later); attempting to pull";
    const said = (await pulls().cluster.eventsOf("without")).join("\n");
    expect(said).toContain(`FailedToRetrieveImagePullSecret: ${wanting}`);
    expect(said).toMatch(/Failed: Failed to pull image ".*guarded:v1": .*authentication required/);
    expect(said).toContain("Failed: Error: ErrImagePull");
    // A second rejection, because of a wrong password: the same state, and a longer back-off.
    await pulls().setSecret("later", "wrong");
    await until(async () => (await pulls().refusals("without")) > 1);
    await pulls().setSecret("later", LOGIN.password);
    expect((await pulls().cluster.over("without")).status.phase).toBe("Succeeded");
    expect(await pulls().cluster.log("without")).toBe("first\n");
  });

  test("need no secret in the pod if its ServiceAccount has one", async () => {
    await pulls().push("account", "v1", "hello");
    const headers = { "Content-Type": "application/merge-patch+json" };
    const account = `${CORE}/serviceaccounts/default`;
    await until(async () => (await pulls().cluster.tally.call("GET", account)).status === 200);
    await pulls().cluster.tally.call("PATCH", account, RIGHT, headers);
    await pulls().run("account", "account:v1", {});
    expect((await pulls().cluster.over("account")).spec.imagePullSecrets).toEqual(
      RIGHT.imagePullSecrets,
    );
    expect(await pulls().cluster.log("account")).toBe("hello\n");
  });
}

function nameTests(pulls: () => Pulls): void {
  test("are those of the digest, which the pod's status reports", async () => {
    await pulls().push("pinned", "v1", "old");
    const digest = await pulls().registry.digestOf("pinned", "v1");
    await pulls().push("pinned", "v1", "new");
    await pulls().run("pinned", `pinned@${digest}`, RIGHT);
    const { status } = await pulls().cluster.over("pinned");
    expect(await pulls().cluster.log("pinned")).toBe("old\n");
    const imageID = `${pulls().registry.address}/pinned@${digest}`;
    expect(status.containerStatuses).toMatchObject([{ image: imageID, imageID }]);
  });

  test("are pulled again only with the policy Always", async () => {
    await pulls().push("moving", "stable", "old");
    await pulls().run("one", "moving:stable", RIGHT);
    await pulls().cluster.over("one");
    await pulls().push("moving", "stable", "new");
    await pulls().run("two", "moving:stable", RIGHT, "IfNotPresent");
    await pulls().cluster.over("two");
    expect(await pulls().cluster.log("two")).toBe("old\n");
    await pulls().run("three", "moving:stable", RIGHT, "Always");
    await pulls().cluster.over("three");
    expect(await pulls().cluster.log("three")).toBe("new\n");
    expect((await pulls().cluster.eventsOf("three")).join("\n")).toMatch(
      /Pulled: Successfully pulled image ".*" in .+ waiting\)\. Image size: \d+ bytes\./,
    );
  });
}

/** A server that runs containers with images of a registry. */
class Pulls {
  private constructor(
    readonly registry: Registry,
    private readonly podman: Podman,
    readonly cluster: Cluster,
  ) {}

  static async start(): Promise<Pulls> {
    const registry = await Registry.start();
    const podman = await Podman.start(registry.address);
    const env = { CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" };
    const cluster = await Cluster.start({ args: ["--default-runtime=podman"], env });
    return new Pulls(registry, podman, cluster);
  }

  async dispose(): Promise<void> {
    await this.cluster.dispose();
    await this.podman.dispose();
    await this.registry.dispose();
  }

  /** Pushes an image that prints one word; this machine keeps no copy of it. */
  async push(name: string, tag: string, word: string): Promise<void> {
    const image = `${this.registry.address}/${name}:${tag}`;
    const change = `CMD ["echo","${word}"]`;
    const holder = (await this.podman.run("create", BUSYBOX)).trim();
    const own = `localhost/${name}:${word}`;
    await this.podman.run("commit", "--quiet", "--change", change, holder, own);
    await this.podman.run("rm", holder);
    const login = `${LOGIN.username}:${LOGIN.password}`;
    await this.podman.run("push", "--quiet", "--creds", login, own, image);
    await this.podman.run("rmi", own);
  }

  async refusals(pod: string): Promise<number> {
    const query = `fieldSelector=involvedObject.name=${pod},reason=Failed`;
    const { json } = await this.cluster.tally.call("GET", `${CORE}/events?${query}`);
    const counts = json.items
      .filter(({ message }: Event) => message?.startsWith("Failed to pull"))
      .map(({ count = 1 }: Event) => count);
    return counts.reduce((sum: number, each: number) => sum + each, 0);
  }

  async run(name: string, image: string, fields: object, imagePullPolicy?: string) {
    const policy = imagePullPolicy === undefined ? {} : { imagePullPolicy };
    const container = { name: "c", image: `${this.registry.address}/${image}`, ...policy };
    await this.cluster.createPod(name, { containers: [container], ...fields });
  }

  /** Creates or replaces a Secret as "kubectl create secret docker-registry" does. */
  async setSecret(name: string, password: string): Promise<void> {
    const auths = { [this.registry.address]: { username: LOGIN.username, password } };
    const text = Buffer.from(JSON.stringify({ auths })).toString("base64");
    const secret = {
      kind: "Secret",
      metadata: { name },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": text },
    };
    const made = await this.cluster.tally.call("POST", `${CORE}/secrets`, secret);
    if (made.status === 409)
      await this.cluster.tally.call("PUT", `${CORE}/secrets/${name}`, secret);
  }
}

const RIGHT = { imagePullSecrets: [{ name: "right" }] };

const isWaitingFor = (reason: string) => (pod: Pod) => stateOf(pod)?.waiting?.reason === reason;
