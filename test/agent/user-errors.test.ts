/** Mistakes of users, and resources that the machine lacks, are reported in status and events. */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Cluster, script, stateOf, until } from "./cluster.ts";

vi.setConfig({ maxConcurrency: 32 });

async function told(on: Cluster, name: string, sentence: RegExp): Promise<void> {
  await until(async () => (await on.eventsOf(name)).some((text) => sentence.test(text)));
}

let cluster: Cluster;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-errors-"));
  cluster = await Cluster.start();
});
afterAll(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

describe.concurrent("a pod reports that", () => {
  test("its command does not exist", async () => {
    const container = { ...script(""), command: ["no-such-command"] };
    await cluster.createPod("missing", { containers: [container] });
    const pod = await cluster.over("missing");
    const message = 'exec: "no-such-command": executable file not found in $PATH';
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 127, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain(message);
    await told(cluster, "missing", /^Failed: Error: .*executable file not found/);
  });

  test("its command is not executable", async () => {
    const file = path.join(directory, "data.txt");
    writeFileSync(file, "no program");
    chmodSync(file, 0o644);
    await cluster.createPod("denied", { containers: [{ ...script(""), command: [file] }] });
    const pod = await cluster.over("denied");
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 126, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain("permission denied");
    await told(cluster, "denied", /^Failed: Error: .*permission denied/);
  });

  test("its working directory does not exist", async () => {
    const workingDir = path.join(directory, "nowhere");
    await cluster.createPod("nowhere", { containers: [script("true", { workingDir })] });
    const pod = await cluster.over("nowhere");
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain(workingDir);
    await told(cluster, "nowhere", /^Failed: Error: .*nowhere/);
  });

  test("it names no command but only an image", async () => {
    const containers = [{ name: "c", image: "busybox:1.36" }];
    await cluster.createPod("idle", { containers });
    const pod = await cluster.podThat("idle", (each) => {
      return stateOf(each)?.waiting?.message !== undefined;
    });
    expect(stateOf(pod)?.waiting?.message).toMatch(/command/);
    await told(cluster, "idle", /^Failed: .*command/);
  });

  test("its image is not used", async () => {
    await cluster.createPod("image", { containers: [script("true")] });
    await cluster.over("image");
    await told(cluster, "image", /image.*not used/i);
  });
});

describe.concurrent("a pod reports that it lacks", () => {
  test("a key of a ConfigMap, and starts once the key exists", async () => {
    await cluster.createConfigMap("settings", { other: "x" });
    const from = { configMapKeyRef: { name: "settings", key: "color" } };
    const container = script('echo "$COLOR"', { env: [{ name: "COLOR", valueFrom: from }] });
    await cluster.createPod("lacks", { containers: [container] });
    const pod = await cluster.podThat("lacks", (each) => {
      return stateOf(each)?.waiting?.reason === "CreateContainerConfigError";
    });
    const message = "couldn't find key color in ConfigMap default/settings";
    expect(stateOf(pod)?.waiting?.message).toBe(message);
    await told(cluster, "lacks", new RegExp(`^Failed: .*${message}`));
    await cluster.setConfigMap("settings", { color: "red" });
    expect((await cluster.over("lacks")).status.phase).toBe("Succeeded");
    expect(await cluster.log("lacks")).toBe("red\n");
  });

  test("a volume of an unsupported kind", async () => {
    const container = script("true", { volumeMounts: [{ name: "v", mountPath: "/v" }] });
    const volumes = [{ name: "v", nfs: { server: "files.example", path: "/" } }];
    await cluster.createPod("volume", { volumes, containers: [container] });
    const { status } = await cluster.over("volume");
    expect(status.phase).toBe("Failed");
    expect(status.message).toBe(
      'Pod was rejected: this node cannot honour volume "v": nfs (there is nothing that mounts it)',
    );
  });

  test.each([
    ["cpu", "4000"],
    ["memory", "4000Ti"],
  ])("enough resources on the node: too much %s", async (resource, amount) => {
    const container = script("true", { resources: { requests: { [resource]: amount } } });
    await cluster.createPod(`big-${resource}`, { containers: [container] });
    const sentence = `0/1 nodes are available: 1 Insufficient ${resource}`;
    await told(cluster, `big-${resource}`, new RegExp(`^FailedScheduling: ${sentence}`));
    const { status } = (await cluster.findPod(`big-${resource}`)) ?? {};
    expect(status?.phase).toBe("Pending");
    const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
    expect(scheduled).toMatchObject({ status: "False", reason: "Unschedulable" });
    expect(scheduled?.message).toContain(sentence);
  });
});

const disk = mkdtempSync(path.join(tmpdir(), "tally-small-disk-"));
/** Only root may mount, and not in every container. */
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status === 0;
afterAll(() => {
  // A lazy unmount, because the last shells of a spawner exit a moment after their server.
  if (canMount) execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(!canMount)("a full disk [needs mount]", () => {
  // A node with so small a disk has disk pressure, so pods need this toleration.
  const tolerations = [{ key: "node.kubernetes.io/disk-pressure", operator: "Exists" }];
  const ballast = path.join(disk, "ballast");
  let small: Cluster;
  beforeAll(async () => {
    small = await Cluster.start({ dataDir: path.join(disk, "data") });
  });
  afterAll(async () => {
    await small.dispose();
  });

  test("fails pods that cannot start, and has no effect once there is room", async () => {
    fill(ballast);
    await small.createPod("no-room", { tolerations, containers: [script("echo hello")] });
    const pod = await small.over("no-room");
    expect(stateOf(pod)?.terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(stateOf(pod)?.terminated?.message).toContain("no space left on device");
    await told(small, "no-room", /^Failed: Error: .*no space left on device/);
    rmSync(ballast);
    await small.createPod("room", { tolerations, containers: [script("echo hello")] });
    expect((await small.over("room")).status.phase).toBe("Succeeded");
    expect(await small.log("room")).toBe("hello\n");
  });

  test("filled by the output of a task fails that task and no other", async () => {
    const forEver = "while :; do echo here; sleep 0.05; done";
    await small.createPod("other", {
      tolerations,
      containers: [script(`trap 'exit 0' TERM; ${forEver}`)],
    });
    const containers = [script("head -c 100000000 /dev/zero || exit 28")];
    await small.createPod("filler", { tolerations, containers });
    const filler = await small.over("filler");
    expect(stateOf(filler)?.terminated?.exitCode).toBe(28);
    expect((await small.findPod("other"))?.status.phase).toBe("Running");
    rmSync(small.logFile(filler));
    await small.deletePod("other", 1);
    await small.gone("other");
  });
});

function fill(file: string): void {
  for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(bytes));
    } catch {
      // There is not that much room left: try half.
    }
  }
}
