import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { Peer } from "./hosts-file.ts";
import { type ClusterNames, PodFiles } from "./pod-files.ts";

const POD = storedPod({ metadata: { name: "p", uid: "u" } });
const PLACE = { podIp: "10.1.0.1", hasOwnNetwork: true };

let directory: string;
let clock: ManualClock;
let files: PodFiles;
let dns: string | undefined;
let peers: readonly Peer[];
let onChange: () => void;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-pod-files-"));
  clock = new ManualClock();
  dns = undefined;
  peers = [];
  const names: ClusterNames = {
    ensure: async () => ({
      dnsFor: () => dns,
      peersFor: () => peers,
      onChange: (listener) => {
        onChange = listener;
        return { close: () => {} };
      },
    }),
  };
  files = new PodFiles({ directory, nodeName: "n", clock, names });
});

afterEach(async () => {
  files.close();
  await rm(directory, { recursive: true });
});

test("a pod has its files before it begins, for everybody in it to read", async () => {
  dns = "10.214.0.10";
  const { hosts, resolvConf } = await files.prepare(POD, PLACE);
  expect(await readFile(hosts, "utf8")).toContain("10.1.0.1\tp\n");
  expect(await readFile(resolvConf, "utf8")).toContain("nameserver 10.214.0.10\n");
  expect((await stat(hosts)).mode & 0o777).toBe(0o644);
});

describe("without a name server", () => {
  test("peers are in the file, and follow the cluster in the same file", async () => {
    peers = [
      { address: "10.1.0.2", names: ["long-name.svc"] },
      { address: "10.1.0.3", names: ["other.svc"] },
    ];
    const { hosts } = await files.prepare(POD, PLACE);
    const { ino } = await stat(hosts);
    expect(await readFile(hosts, "utf8")).toContain("10.1.0.2\tlong-name.svc\n10.1.0.3\tother.svc");
    peers = [{ address: "10.1.0.9", names: ["b.svc"] }];
    onChange();
    clock.advance(5);
    const text = await readFile(hosts, "utf8");
    expect(text.endsWith("10.1.0.9\tb.svc\n")).toBe(true);
    expect(text).not.toContain("10.1.0.2");
    expect((await stat(hosts)).ino).toBe(ino);
  });

  test("a pod that is gone is followed no longer", async () => {
    await files.prepare(POD, PLACE);
    await files.release("u");
    onChange();
    clock.advance(5);
    expect(await readdir(directory)).toEqual([]);
  });
});

test("what a crash has left of pods that are gone is removed", async () => {
  await files.prepare(POD, PLACE);
  await writeFile(join(directory, "old.hosts"), "");
  await writeFile(join(directory, "old.resolv"), "");
  await files.sweep((uid) => uid === "u");
  expect((await readdir(directory)).sort()).toEqual(["u.hosts", "u.resolv"]);
});
