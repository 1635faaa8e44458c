/** Containers of Docker or Podman outlive their server, and "tally down" ends them. */
import { afterEach, describe, expect, test } from "vitest";
import { Cluster, stateOf, until } from "../agent/cluster.ts";
import { BUSYBOX, Podman } from "../containers/podman.ts";
import { runTally } from "../support/tally.ts";

describe.runIf(Podman.isThere())("a server with Podman", () => {
  let podman: Podman;
  let cluster: Cluster;
  afterEach(async () => {
    await cluster?.dispose();
    await podman?.dispose();
  });

  test("leaves containers running, and tally down ends them", async () => {
    podman = await Podman.start();
    const env = { CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" };
    cluster = await Cluster.start({ exitFlags: [], args: ["--default-runtime=podman"], env });
    const container = { name: "c", image: BUSYBOX, command: ["sleep", "3600"] };
    await cluster.createJob("j", { completions: 1, backoffLimit: 0 }, { containers: [container] });
    const isRunning = async () => {
      const [pod] = await cluster.podsOf("j");
      return pod && stateOf(pod)?.running !== undefined ? pod : undefined;
    };
    await until(async () => (await isRunning()) !== undefined);
    const before = await isRunning();
    expect(await cluster.tally.stop()).toBe(0);
    expect(cluster.tally.out()).toContain("1 pod keeps running");
    await cluster.startAgain();
    expect((await isRunning())?.metadata.uid).toBe(before?.metadata.uid);
    expect(await cluster.tally.stop()).toBe(0);
    const { dataDir } = cluster.tally;
    const { code, out } = await runTally(["down", "--data", dataDir], env);
    expect({ code, out }).toEqual({
      code: 0,
      out: "1 pod was ended, as by a shutdown of the node (reason Terminated)\n",
    });
    await cluster.startAgain();
    const job = await cluster.finished("j");
    expect(job.status.failed).toBe(1);
    const pod = await cluster.findPod(before?.metadata.name ?? "");
    expect(pod?.status).toMatchObject({
      phase: "Failed",
      reason: "Terminated",
      podIP: before?.status.podIP,
    });
    const [ended] = pod?.status.containerStatuses ?? [];
    expect(ended?.containerID).toBe(before?.status.containerStatuses?.[0]?.containerID);
    expect(await podman.left()).toEqual([]);
  });
});
