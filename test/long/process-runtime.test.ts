/** Pods as processes of this machine: what every runtime does, and what is this one's own. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster, script, stateOf, until } from "../agent/cluster.ts";
import { runtimeContract } from "../agent/runtime-contract.ts";

runtimeContract({ name: "process", args: [] });

describe("what a user gets wrong is told in status and events", () => {
  let cluster: Cluster;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "tally-errors-"));
    cluster = await Cluster.start();
  });
  afterAll(async () => {
    await cluster.tally.stop();
    await cluster.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  test("a command that is not there", async () => {
    const container = { ...script(""), command: ["no-such-command"] };
    await cluster.createPod("missing", { containers: [container] });
    const pod = await cluster.over("missing");
    const message = 'exec: "no-such-command": executable file not found in $PATH';
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 127, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain(message);
    await told("missing", /^Failed: Error: .*executable file not found/);
  });

  test("a file that may not be run", async () => {
    const file = path.join(directory, "data.txt");
    writeFileSync(file, "no program");
    chmodSync(file, 0o644);
    await cluster.createPod("denied", { containers: [{ ...script(""), command: [file] }] });
    const pod = await cluster.over("denied");
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 126, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain("permission denied");
    await told("denied", /^Failed: Error: .*permission denied/);
  });

  test("a working directory that is not there", async () => {
    const workingDir = path.join(directory, "nowhere");
    await cluster.createPod("nowhere", { containers: [script("true", { workingDir })] });
    const pod = await cluster.over("nowhere");
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain(workingDir);
    await told("nowhere", /^Failed: Error: .*nowhere/);
  });

  test("an image without a command", async () => {
    const containers = [{ name: "c", image: "busybox:1.36" }];
    await cluster.createPod("idle", { containers });
    const pod = await cluster.podThat("idle", (each) => {
      return stateOf(each)?.waiting?.message !== undefined;
    });
    expect(stateOf(pod)?.waiting?.message).toMatch(/command/);
    await told("idle", /^Failed: .*command/);
  });

  test("a volume that cannot be mounted", async () => {
    const container = script("true", { volumeMounts: [{ name: "v", mountPath: "/v" }] });
    await cluster.createPod("volume", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [container],
    });
    const { status } = await cluster.over("volume");
    expect(status.phase).toBe("Failed");
    expect(status.message).toMatch(/^Pod was rejected: .*volume/);
  });

  test("more than the node has", async () => {
    const container = script("true", { resources: { requests: { cpu: "4000" } } });
    await cluster.createPod("big", { containers: [container] });
    await told("big", /^FailedScheduling: 0\/1 nodes are available: 1 Insufficient cpu/);
    expect((await cluster.findPod("big"))?.status.phase).toBe("Pending");
  });

  test("an image that is not used", async () => {
    await cluster.createPod("image", { containers: [script("true")] });
    await cluster.over("image");
    await told("image", /image.*not used/i);
  });

  function told(name: string, sentence: RegExp): Promise<void> {
    return until(async () => (await cluster.eventsOf(name)).some((text) => sentence.test(text)));
  }
});
