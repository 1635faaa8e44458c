import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AgentAtWork } from "../../../test/builders/agent.ts";
import type { ConfigMap, Secret } from "../../api/generated/core.ts";
import type { Json } from "../../api/object.ts";
import { configMaps, pods, secrets } from "../../api/resources.ts";
import type { Mount } from "../runtimes/runtime.ts";

let directory: string;
let work: AgentAtWork;

beforeEach(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), "tally-volumes-"));
  work = await AgentAtWork.start((world) => {
    world.volumes = { directory };
  });
});

afterEach(async () => {
  await work.stop(true);
  rmSync(directory, { recursive: true, force: true });
});

type Fields = { readonly [field: string]: Json };

/** A pod with one volume "v" at /v, prepared as far as it can be. */
async function aPod(source: Fields, more: { mount?: Fields; spec?: Fields } = {}): Promise<string> {
  const uid = await work.create("p", podOf(source, more));
  await begun();
  return uid;
}

function podOf(source: Fields, { mount = {}, spec = {} }: { mount?: Fields; spec?: Fields } = {}) {
  const volumeMounts = [{ name: "v", mountPath: "/v", ...mount }];
  const container = { name: "c", image: "i", command: ["task"], volumeMounts };
  return { spec: { containers: [container], volumes: [{ name: "v", ...source }], ...spec } };
}

const OTHER = { namespace: "default", name: "other" };

/** Files are made by threads of their own: whoever expects something looks until it is so. */
function eventually(look: () => unknown): Promise<void> {
  return vi.waitFor(async () => {
    await work.pass(20);
    await look();
  }, PATIENCE);
}

/** The first of them loads what makes volumes. */
const PATIENCE = { timeout: 120_000 };

/** It has begun, or it was told why not. */
async function begun(): Promise<void> {
  await eventually(async () => {
    const told = await work.events();
    expect(work.runtime.requests.length + told.length).toBeGreaterThan(0);
  });
}

function mounts(): readonly Mount[] | undefined {
  return work.runtime.requests.at(-1)?.mounts;
}

function mounted(file = ""): string {
  return path.join(mounts()?.[0]?.source ?? "/nowhere", file);
}

const text = (file: string) => readFileSync(mounted(file), "utf8");
const visible = () => readdirSync(mounted()).filter((name) => !name.startsWith(".."));

function configMap(fields: Partial<ConfigMap>): ConfigMap {
  const metadata = { namespace: "default", name: "x" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, ...fields };
}

async function write(data: { [key: string]: string }): Promise<void> {
  const body = { data };
  const name = { namespace: "default", name: "x" };
  await work.client.patch(configMaps, name, { type: "merge", body });
}

test("a pod that mounts nothing waits for nothing, and leaves nothing", async () => {
  await work.create("p", { spec: { volumes: [{ name: "v", emptyDir: {} }] } });
  expect(work.runtime.requests).toHaveLength(1);
  expect(mounts()).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});

test("an emptyDir is a directory for everyone, and goes with its pod", async () => {
  const uid = await aPod({ emptyDir: {} });
  expect(statSync(mounted()).mode & 0o7777).toBe(0o777);
  expect(mounts()).toEqual([{ source: mounted(), mountPath: "/v", isReadOnly: false }]);
  await work.end(`${uid}/c/0`);
  await eventually(() => expect(readdirSync(path.join(directory, "pods"))).toEqual([]));
});

test("a ConfigMap that is missing holds the pod until it is there", async () => {
  await aPod({ configMap: { name: "x" } });
  expect(work.runtime.requests).toEqual([]);
  expect(await work.stateOf("p")).toEqual({ waiting: { reason: "ContainerCreating" } });
  expect(await work.events()).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "x" not found',
  ]);
  await work.client.create(configMaps, configMap({ data: { a: "1", b: "2" } }));
  await eventually(() => expect(visible()).toEqual(["a", "b"]));
  expect(text("a")).toBe("1");
  expect(mounts()?.[0]?.isReadOnly).toBe(true);
});

test("a ConfigMap volume follows its object, all of it at once", async () => {
  await work.client.create(configMaps, configMap({ data: { a: "1", b: "2" } }));
  await aPod({ configMap: { name: "x" } });
  const before = readFileSync(mounted("..data/a"), "utf8");
  await write({ a: "3", b: null as unknown as string, "c.txt": "4" });
  await eventually(() => expect([before, text("a"), text("c.txt")]).toEqual(["1", "3", "4"]));
  expect(visible()).toEqual(["a", "c.txt"]);
  expect(readdirSync(mounted()).filter((name) => name.startsWith("..2"))).toHaveLength(1);
});

test("an immutable ConfigMap is not followed, not even by its successor", async () => {
  await work.client.create(configMaps, configMap({ data: { a: "1" }, immutable: true }));
  await aPod({ configMap: { name: "x" } });
  await work.client.delete(configMaps, { namespace: "default", name: "x" });
  await work.client.create(configMaps, configMap({ data: { a: "2" } }));
  // Another pod shows that whoever follows had the time for it.
  await work.client.create(configMaps, { ...configMap({ data: { a: "3" } }), metadata: OTHER });
  await work.create("other", podOf({ configMap: { name: "other" } }));
  await eventually(() => expect(work.runtime.requests).toHaveLength(2));
  const [first] = work.runtime.requests[0]?.mounts ?? [];
  expect(readFileSync(path.join(first?.source ?? "", "a"), "utf8")).toBe("1");
});

test("what a ConfigMap volume shows stays when the object goes, and that is told", async () => {
  await work.client.create(configMaps, configMap({ data: { a: "1" } }));
  await aPod({ configMap: { name: "x" } });
  await work.client.delete(configMaps, { namespace: "default", name: "x" });
  const failure = 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "x" not found';
  await eventually(async () => expect(await work.events()).toContain(failure));
  expect(text("a")).toBe("1");
});

test("an optional object may be missing, and come and go", async () => {
  await aPod({ configMap: { name: "x", optional: true } });
  expect(visible()).toEqual([]);
  await work.client.create(configMaps, configMap({ data: { a: "1" } }));
  await eventually(() => expect(visible()).toEqual(["a"]));
  await work.client.delete(configMaps, { namespace: "default", name: "x" });
  await eventually(() => expect(visible()).toEqual([]));
});

test("a Secret has the keys and modes that are asked for", async () => {
  const data = { a: Buffer.from([0, 255]).toString("base64"), b: "" };
  const metadata = { namespace: "default", name: "x" };
  await work.client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, data } as Secret);
  const items = [{ key: "a", path: "deep/er/file", mode: 0o400 }];
  await aPod({ secret: { secretName: "x", defaultMode: 0o440, items } });
  expect(visible()).toEqual(["deep"]);
  expect(readFileSync(mounted("deep/er/file"))).toEqual(Buffer.from([0, 255]));
  expect(statSync(mounted("deep/er/file")).mode & 0o777).toBe(0o400);
});

test("labels and annotations are followed", async () => {
  const items = [
    { path: "annotations", fieldRef: { fieldPath: "metadata.annotations" } },
    { path: "tier", fieldRef: { fieldPath: "metadata.labels['tier']" } },
  ];
  await aPod({ downwardAPI: { items } });
  expect([text("annotations"), text("tier")]).toEqual(["", ""]);
  const body = { metadata: { annotations: { b: 'say "hi"\n', a: "1" }, labels: { tier: "x" } } };
  const name = { namespace: "default", name: "p" };
  await work.client.patch(pods, name, { type: "merge", body });
  const shown = ['a="1"\nb="say \\"hi\\"\\n"', "x"];
  await eventually(() => expect([text("annotations"), text("tier")]).toEqual(shown));
});

test("a path of the host that is not what it should be is asked for again", async () => {
  const place = path.join(directory, "there");
  await aPod({ hostPath: { path: place, type: "Directory" } });
  expect(await work.events()).toEqual([
    `FailedMount: MountVolume.SetUp failed for volume "v" : ` +
      `hostPath type check failed: ${place} is not a directory`,
  ]);
  mkdirSync(place);
  await work.pass(500);
  const wanted = [{ source: place, mountPath: "/v", isReadOnly: false }];
  await eventually(() => expect(mounts()).toEqual(wanted));
});

test("what pods left that are gone is removed by the next agent, the rest is kept", async () => {
  const uid = await aPod({ emptyDir: {} });
  await work.crash();
  mkdirSync(path.join(directory, "pods/gone/v"), { recursive: true });
  writeFileSync(path.join(directory, "pods/gone/v/file"), "");
  await work.open();
  await eventually(() => expect(readdirSync(path.join(directory, "pods"))).toEqual([uid]));
  await work.end(`${uid}/c/0`);
  await eventually(() => expect(readdirSync(path.join(directory, "pods"))).toEqual([]));
});

test("volumes that changed while nobody looked are brought up to date", async () => {
  await work.client.create(configMaps, configMap({ data: { a: "1" } }));
  await aPod({ configMap: { name: "x" } });
  await work.crash();
  await write({ a: "2" });
  expect(text("a")).toBe("1");
  await work.open();
  await eventually(() => expect(text("a")).toBe("2"));
});

test("a pod that is deleted while its volumes are missing goes without having begun", async () => {
  await aPod({ secret: { secretName: "x" } });
  await work.delete("p", 30);
  await work.pass(20);
  expect(await work.isGone("p")).toBe(true);
  expect(work.runtime.requests).toEqual([]);
});

test("a claim that is not bound is told of in the words of kubelet", async () => {
  await aPod({ persistentVolumeClaim: { claimName: "x" } });
  expect(await work.events()).toEqual([
    "FailedMount: Unable to attach or mount volumes: unmounted volumes=[v], " +
      "unattached volumes=[], failed to process volumes=[v]: error processing PVC default/x: " +
      'failed to fetch PVC from API server: persistentvolumeclaims "x" not found',
  ]);
});

test("a subPath is a part of the volume, made if it is missing", async () => {
  await aPod({ emptyDir: {} }, { mount: { subPath: "a/b" } });
  const [mount] = mounts() ?? [];
  expect(mount?.source.endsWith("/v/a/b")).toBe(true);
  const { dev: device, ino: inode } = statSync(mount?.source ?? "");
  expect(mount?.identity).toEqual({ device, inode });
});

test("a subPathExpr whose variable is missing is a problem of the container", async () => {
  await aPod({ emptyDir: {} }, { mount: { subPathExpr: "$(NOT)/x" } });
  const state = await work.stateOf("p");
  expect(state?.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: "missing value for NOT",
  });
});

test.runIf(process.getuid?.() === 0)("a group owns the volumes that were made for it", async () => {
  await aPod({ emptyDir: {} }, { spec: { securityContext: { fsGroup: 4711 } } });
  const { gid, mode } = statSync(mounted());
  expect([gid, mode & 0o7777]).toEqual([4711, 0o2777]);
});

test("what a pod had that ended while nobody looked goes with it", async () => {
  const uid = await aPod({ emptyDir: {} });
  await work.crash();
  work.runtime.end(`${uid}/c/0`);
  await work.open();
  await eventually(async () => expect(await work.phaseOf("p")).toBe("Succeeded"));
  await eventually(() => expect(readdirSync(path.join(directory, "pods"))).toEqual([]));
});

test("an agent that stops has removed what its pods had", async () => {
  const uid = await aPod({ emptyDir: {} });
  await work.end(`${uid}/c/0`);
  await work.stop(true);
  expect(readdirSync(path.join(directory, "pods"))).toEqual([]);
});
