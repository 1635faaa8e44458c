import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { type TestMachine, testMachine } from "../../test/builders/machine.ts";
import type { Machine } from "../command/machine.ts";
import type { EngineOptions } from "../engine-options.ts";
import { type UpEngine, up } from "./up.ts";
import { UP_DEFAULTS, type UpFlags } from "./up-flags.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tally-up-"));
});
afterEach(() => rm(home, { recursive: true }));

interface Run {
  readonly machine: TestMachine;
  readonly options: EngineOptions;
  readonly stops: number;
}

/** Runs until ready, then does what is asked, then stops by a signal. */
async function runUp(
  flags: Partial<UpFlags> = {},
  { machine: overrides, url }: { machine?: Partial<Machine>; url?: string } = {},
  whenReady: (machine: TestMachine) => void = (machine) => machine.signal("SIGTERM"),
): Promise<Run> {
  let options: EngineOptions | undefined;
  let stops = 0;
  const machine = testMachine({
    home,
    workingDirectory: home,
    ...overrides,
    writeOut: (text) => {
      out += text;
      whenReady(machine);
    },
  });
  let out = "";
  const engine: UpEngine = {
    url: url ?? "https://127.0.0.1:6443",
    stop: async () => {
      stops++;
      return { leftRunning: 0 };
    },
  };
  await up({ ...UP_DEFAULTS, ...flags }, machine, async (given) => {
    options = given;
    return engine;
  });
  if (!options) throw new Error("the engine was not started");
  return { machine: { ...machine, out: () => out }, options, stops };
}

test("one line says where the server is and how to use it, and a signal ends it", async () => {
  const { machine, stops } = await runUp();
  const kubeconfig = join(home, ".local/state/tally/kubeconfig");
  expect(machine.out()).toBe(
    `Tally is ready at https://127.0.0.1:6443  (export KUBECONFIG=${kubeconfig})\n`,
  );
  expect(stops).toBe(1);
  expect(machine.exitCodes()).toEqual([]);
  expect(
    machine
      .error()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).message),
  ).toEqual(["stopping", "stopped"]);
});

test("the engine gets what the flags say", async () => {
  const { options } = await runUp({
    data: "state",
    address: "::1",
    port: "0",
    insecurePort: "0",
    agent: false,
    controllers: "none",
    serviceClusterIpRange: "10.96.0.0/16",
    jobBackoffBase: "2s",
    jobBackoffCap: "1m30s",
    jobBatch: "0s",
    concurrentJobSyncs: "2",
    jobPodsPerSync: "50",
  });
  expect(options).toMatchObject({
    dataDir: join(home, "state"),
    address: "::1",
    port: 0,
    insecurePort: 0,
    controllers: "none",
    serviceCidr: "10.96.0.0/16",
    jobs: {
      backoff: { firstMs: 2000, maxMs: 90_000 },
      batch: { longestMs: 0 },
      workers: 2,
      podsPerSync: 50,
    },
  });
  expect(options).not.toHaveProperty("agent");
  expect(new X509Certificate(options.certificates.cert).checkIP("10.96.0.1")).toBe("10.96.0.1");
});

test("the agent gets what the flags say", async () => {
  const { options } = await runUp({
    nodeName: "n1",
    maxPods: "5",
    onExit: "terminate",
    defaultRuntime: "sandbox",
    podCidr: "10.9.0.0/20",
    sandboxShare: ["/data"],
    strictLimits: true,
    cgroups: false,
    logMaxBytes: "10Mi",
    onLogLimit: "fail",
  });
  expect(options.agent).toEqual({
    nodeName: "n1",
    maxPods: 5,
    onExit: "terminate",
    sandbox: {
      defaultRuntime: "sandbox",
      podCidr: { network: [10, 9, 0, 0], prefixLength: 20 },
      enginePodCidr: expect.objectContaining({ prefixLength: expect.any(Number) }),
      sharedPaths: ["/data"],
    },
    strictLimits: true,
    usesCgroups: false,
    logMaxBytes: 10 * 2 ** 20,
    onLogLimit: "fail",
  });
});

test("controllers can be chosen by name", async () => {
  const { options } = await runUp({ controllers: "rootca, rootca" });
  expect(options.controllers).toEqual(["rootca"]);
});

test("without flags the engine gets the defaults", async () => {
  const { options } = await runUp();
  expect(options).toMatchObject({
    port: 6443,
    agent: {
      maxPods: 10_000,
      onExit: "leave",
      strictLimits: false,
      usesCgroups: true,
      logMaxBytes: 0,
      onLogLimit: "cut",
    },
    controllers: "all",
  });
  expect(options).not.toHaveProperty("insecurePort");
});

test.each([
  ["$XDG_STATE_HOME", { XDG_STATE_HOME: "/{home}/state" }, "state/tally"],
  ["home, as a relative $XDG_STATE_HOME is none", { XDG_STATE_HOME: "rel" }, ".local/state/tally"],
])("data is kept under %s", async (_place, environment, expected) => {
  const XDG_STATE_HOME = environment.XDG_STATE_HOME.replace("/{home}", home);
  const { options } = await runUp({}, { machine: { environment: { XDG_STATE_HOME } } });
  expect(options.dataDir).toBe(join(home, expected));
});

test("a second start keeps token and authority", async () => {
  const first = await runUp();
  const second = await runUp();
  expect(second.options.token).toBe(first.options.token);
  expect(second.options.certificates).toEqual(first.options.certificates);
});

test("the kubeconfig goes where it is asked for, with the port really listened on", async () => {
  const url = "https://127.0.0.1:40123";
  const { machine, options } = await runUp({ port: "0", kubeconfig: "my dir/conf" }, { url });
  const file = join(home, "my dir/conf");
  expect(machine.out()).toContain(`${url}  (export KUBECONFIG='${file}')`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { clusters, users } = parse(await readFile(file, "utf8"));
  expect(clusters[0].cluster.server).toBe(url);
  expect(users[0].user.token).toBe(options.token);
});

test("an own kubeconfig is changed only on request", async () => {
  const own = join(home, "own");
  await writeFile(own, "clusters: []\n");
  const machine = { environment: { KUBECONFIG: own } };
  await runUp({}, { machine });
  expect(await readFile(own, "utf8")).toBe("clusters: []\n");
  await runUp({ mergeKubeconfig: true }, { machine });
  expect(parse(await readFile(own, "utf8"))["current-context"]).toBe("tally");
});

test("a kubeconfig that cannot be changed stops the engine and is the error", async () => {
  const own = join(home, "own");
  await writeFile(own, "not: [valid");
  const machine = testMachine({ home, environment: { KUBECONFIG: own } });
  let stops = 0;
  const stop = async () => {
    stops++;
    return { leftRunning: 0 };
  };
  const start = async () => ({ url: "https://127.0.0.1:6443", stop });
  const flags = { ...UP_DEFAULTS, mergeKubeconfig: true };
  await expect(up(flags, machine, start)).rejects.toThrow("is no valid kubeconfig");
  expect({ stops, out: machine.out() }).toEqual({ stops: 1, out: "" });
});

test("a server others can reach warns of it and has the names they know it by", async () => {
  const machine = {
    hostName: "box.example.com",
    addresses: () => ["192.0.2.7", "fd00::7", "fe80::1%eth0"],
  };
  const url = "https://0.0.0.0:6443";
  const run = await runUp({ address: "0.0.0.0" }, { machine, url });
  expect(run.machine.error()).toContain("other machines can reach this server");
  expect(run.machine.out()).toContain("https://127.0.0.1:6443");
  const { subjectAltName = "" } = new X509Certificate(run.options.certificates.cert);
  expect(subjectAltName).toContain(
    "IP Address:192.0.2.7, IP Address:FD00:0:0:0:0:0:0:7, DNS:box.example.com",
  );
  expect(subjectAltName).not.toMatch(/0\.0\.0\.0|fe80/i);
});

test.each(["my_host", "", "-"])("a machine named %j has a certificate without it", async (name) => {
  const { options, machine } = await runUp({}, { machine: { hostName: name } });
  const { subjectAltName = "" } = new X509Certificate(options.certificates.cert);
  expect(subjectAltName.endsWith("IP Address:127.128.0.1")).toBe(true);
  expect(machine.error()).not.toContain("other machines");
});

test.each([
  [
    { code: "EADDRINUSE", port: 6443 },
    "port 6443 on 127.0.0.1 is in use (use --port 0 for a free one)",
  ],
  [
    { code: "EADDRINUSE", port: 8080 },
    "port 8080 on 127.0.0.1 is in use (use --insecure-port 0 for a free one)",
  ],
  [{ code: "EACCES", port: 6443 }, "port 6443 on 127.0.0.1 may not be used by this user"],
  [{ code: "EADDRNOTAVAIL" }, "127.0.0.1 is not an address of this machine"],
  [{ code: "DataDirectoryInUse" }, "is in use by another tally up (use --data for a second one)"],
  [{}, "the disk is gone"],
])("an engine that fails with %j says %s", async (properties, message) => {
  const machine = testMachine({ home });
  const start = () => Promise.reject(Object.assign(new Error("the disk is gone"), properties));
  const flags = { ...UP_DEFAULTS, insecurePort: "8080" };
  await expect(up(flags, machine, start)).rejects.toThrow(message);
  expect(machine.out()).toBe("");
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a second %s does not wait and exits with %i", async (signal, code) => {
  const { machine } = await runUp({}, {}, (each) => {
    each.signal("SIGTERM");
    each.signal(signal);
  });
  expect(machine.exitCodes()).toEqual([code]);
});

test.each([
  [{}, 8, '8 pods keep running: the next "tally up" adopts them, "tally down" ends them\n'],
  [
    { data: "my data" },
    1,
    '1 pod keeps running: the next "tally up" adopts it, "tally down --data \'my data\'" ends it\n',
  ],
])("with %j and %i pods left running it says how to end them", async (flags, pods, line) => {
  const machine = testMachine({ home, workingDirectory: home });
  await up({ ...UP_DEFAULTS, ...flags }, machine, async () => {
    machine.signal("SIGINT");
    return { url: "https://127.0.0.1:6443", stop: async () => ({ leftRunning: pods }) };
  });
  expect(machine.out().slice(machine.out().indexOf("\n") + 1)).toBe(line);
});

test("a signal while the engine starts stops it as soon as it stands", async () => {
  const machine = testMachine({ home });
  let stops = 0;
  await up(UP_DEFAULTS, machine, async () => {
    machine.signal("SIGINT");
    const stop = async () => {
      stops++;
      return { leftRunning: 0 };
    };
    return { url: "https://127.0.0.1:6443", stop };
  });
  expect(stops).toBe(1);
});

test("the engine is told of features that are switched off, and so is the log", async () => {
  const { options, machine } = await runUp({ featureGates: "IndexedJob=false" });
  expect(options.featureGates).toMatchObject({ IndexedJob: false, PodIndexLabel: true });
  expect(machine.error()).toContain("features are switched off");
  expect((await runUp()).machine.error()).not.toContain("features");
});
