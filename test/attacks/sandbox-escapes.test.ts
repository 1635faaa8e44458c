/** A container that asks for capabilities with which it could escape its sandbox. */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Cluster, script, stateOf, until } from "../agent/cluster.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

let cluster: Cluster;
beforeEach(async () => {
  if (!withoutSandboxes) cluster = await Cluster.start({ args: ["--default-runtime=sandbox"] });
});
afterEach(() => cluster?.dispose());

const asking = (text: string, add: readonly string[]) => ({
  containers: [script(text, { securityContext: { capabilities: { add } } })],
});

/** Waits until the pod has ended, or waits for something that will never happen. */
const settled = (name: string) =>
  cluster.podThat(name, (pod) => {
    const { terminated, waiting } = stateOf(pod) ?? {};
    return terminated !== undefined || waiting?.message !== undefined;
  });

describe.skipIf(withoutSandboxes)(`capabilities and links of /proc ${withoutSandboxes}`, () => {
  test("do not give access to the roots of other processes", async () => {
    // The data directory is hidden in the root of the container, but not in the root of the host.
    const { dataDir } = cluster.tally;
    const text = `for each in /proc/[0-9]*/root /proc/[0-9]*/cwd; do
        ls -d $each${dataDir}/token $each/../../../..${dataDir}/token
      done; cat /proc/1/environ /proc/1/maps; echo looked`;
    for (const add of [["SYS_PTRACE"], ["ALL"]]) {
      const name = add.join("").toLowerCase().replace("_", "-");
      await cluster.createPod(name, asking(`{ ${text}; } 2>/dev/null`, add));
      await cluster.over(name);
      expect(await cluster.log(name)).toBe("looked\n");
      const notice = /^CapabilityNotGiven: .* not given: .*SYS_PTRACE/;
      await until(async () => (await cluster.eventsOf(name)).some((each) => notice.test(each)));
    }
  });

  test.each(["/proc/1/root", "/proc/1/cwd", "../../../../../.."])(
    "do not give access to the host by the working directory %s",
    async (workingDir) => {
      const { dataDir } = cluster.tally;
      const text = `ls .${dataDir} ../../../../..${dataDir}; echo looked`;
      await cluster.createPod("inside", { containers: [script(text, { workingDir })] });
      await cluster.over("inside");
      const seen = (await cluster.log("inside")).split("\n");
      expect(seen.filter((line) => ["token", "pki", "store"].includes(line))).toEqual([]);
    },
  );

  test.each(["DAC_READ_SEARCH", "SYS_CHROOT", "MKNOD", "SYS_ADMIN", "SYS_MODULE", "BPF"])(
    "do not include %s: the pod is rejected",
    async (capability) => {
      await cluster.createPod("asking", asking("true", [capability]));
      const { status } = await cluster.over("asking");
      expect(status.phase).toBe("Failed");
      expect(status.message).toContain(
        `capability ${capability} (it opens the host, which a sandbox cannot prevent)`,
      );
    },
  );
});

describe.skipIf(withoutSandboxes)(`files of a pod ${withoutSandboxes}`, () => {
  test("are not executed before the server's privileges are dropped", async () => {
    // A process that enters a container, or starts a command in it, must not execute files of the
    // container before it has dropped its privileges.
    const evil = "#!/usr/bin/sh\ngrep -H CapEff /proc/self/status >> /shared/evil\n";
    const fill = `cp /usr/bin/dash /vol/sh; cp /usr/bin/cat /usr/bin/grep /usr/bin/sleep /vol
      for each in setpriv unshare nsenter env chroot mount confine; do
        printf '${evil.replaceAll("\n", "\\n")}' > /vol/$each; chmod 755 /vol/$each
      done`;
    const started = "until [ -e /shared/started ]; do sleep 0.05; done";
    const look = `${started}; cat /shared/evil 2>/dev/null; echo looked`;
    const shared = { name: "shared", mountPath: "/shared" };
    const volumeMounts = [shared, { name: "vol", mountPath: "/usr/bin" }];
    const postStart = { exec: { command: ["/usr/bin/sh", "-c", "echo > /shared/started"] } };
    const first = { volumeMounts: [{ name: "vol", mountPath: "/vol" }] };
    await cluster.createPod("planted", {
      volumes: ["vol", "shared"].map((name) => ({ name, emptyDir: {} })),
      initContainers: [{ ...script(fill, first), name: "first" }],
      containers: [script(look, { volumeMounts, lifecycle: { postStart } })],
    });
    await cluster.over("planted");
    expect(await cluster.log("planted")).toBe("looked\n");
  });

  test.each<[what: string, named: (path: string) => { readonly [field: string]: unknown }]>([
    ["volume", (mountPath) => ({ volumeMounts: [{ name: "vol", mountPath }] })],
    ["termination message", (path) => ({ terminationMessagePath: path })],
  ])("do not reach the host by a %s below a link of /proc", async (_, named) => {
    const file = `${tmpdir()}/tally-planted-${process.pid}`;
    for (const root of ["/proc/self/root", "/proc/1/root", "/dev/fd/../root"]) {
      const name = `to${root.replace(/\W+/g, "-")}`;
      const container = script("true", named(`${root}${file}`));
      const volumes = [{ name: "vol", emptyDir: {} }];
      await cluster.createPod(name, { volumes, containers: [container] });
      await settled(name);
      expect(existsSync(file)).toBe(false);
    }
  });

  test("do not reach the host by a link in a volume with another volume below", async () => {
    const made = `${tmpdir()}/tally-linked-${process.pid}`;
    const links = `ln -s ${made} /vol/absolute; ln -s ../../../../../../../..${made} /vol/relative
      ln -s /proc/1/root${made} /vol/magic`;
    const first = { volumeMounts: [{ name: "vol", mountPath: "/vol" }] };
    for (const link of ["absolute", "relative", "magic"]) {
      const inside = { name: "other", mountPath: `/vol/${link}/inside` };
      const volumeMounts = [...first.volumeMounts, inside];
      await cluster.createPod(link, {
        volumes: ["vol", "other"].map((name) => ({ name, emptyDir: {} })),
        initContainers: [{ ...script(links, first), name: "first" }],
        containers: [script("true", { volumeMounts })],
      });
      await settled(link);
      expect(existsSync(made)).toBe(false);
    }
  });

  test("do not redirect updates of /etc/hosts to a file of the host", async () => {
    const victim = `${tmpdir()}/tally-victim-${process.pid}`;
    writeFileSync(victim, "untouched");
    onTestFinished(() => rmSync(victim));
    const wait = "echo ready; while :; do sleep 0.05; done";
    const replace = `rm /etc/hosts; ln -s ${victim} /etc/hosts; ${wait}`;
    const follow = `while ! grep -q updated /etc/hosts; do sleep 0.05; done; ${wait}`;
    await cluster.createPod("evil", { containers: [script(replace)] });
    await cluster.createPod("honest", { containers: [script(follow)] });
    await until(async () => (await cluster.log("evil")) === "ready\n");
    const { dataDir } = cluster.tally;
    for (const name of ["evil", "honest"]) {
      const { uid = "" } = (await cluster.findPod(name))?.metadata ?? {};
      const files = readdirSync(dataDir, { encoding: "utf8", recursive: true });
      const hosts = files.find((file) => file.endsWith(`${uid}.hosts`)) ?? "";
      appendFileSync(path.join(dataDir, hosts), "10.0.0.1 updated\n");
    }
    await until(async () => (await cluster.log("honest")) === "ready\n");
    expect(readFileSync(victim, "utf8")).toBe("untouched");
  });
});

describe.skipIf(withoutSandboxes)(`a reused sandbox ${withoutSandboxes}`, () => {
  test("is the same for the next container as for the first", async () => {
    const show = `ulimit -n; nice; cat /proc/self/oom_score_adj
      grep Cpus_allowed: /proc/self/status; stat -c %a / /etc /etc/hosts /dev/shm`;
    const change = `prlimit --pid 1 --nofile=60:60; renice -n 9 1; taskset -p 1 1
      echo 500 > /proc/1/oom_score_adj; chmod 700 / /etc /dev/shm; chmod 600 /etc/hosts`;
    await cluster.createPod("before", { containers: [script(show)] });
    await cluster.over("before");
    await cluster.createPod("changes", { containers: [script(change)] });
    await cluster.over("changes");
    await cluster.createPod("after", { containers: [script(show)] });
    await cluster.over("after");
    expect(await cluster.log("after")).toBe(await cluster.log("before"));
  });

  test("allows no user namespaces, in which a container would have all capabilities", async () => {
    const text = "unshare --user true; unshare --user --map-root-user id -u; echo tried";
    await cluster.createPod("unshares", { containers: [script(`{ ${text}; } 2>/dev/null`)] });
    await cluster.over("unshares");
    expect(await cluster.log("unshares")).toBe("tried\n");
  });
});

describe.skipIf(withoutSandboxes)(`a sandbox and the host ${withoutSandboxes}`, () => {
  test("devices in a sandbox keep the modes and owners of the host", async () => {
    const before = statSync("/dev/full");
    const text =
      "chmod 640 /dev/full; chown 1:1 /dev/full; echo > /dev/null; head -c1 /dev/zero | wc -c";
    await cluster.createPod("devices", { containers: [script(`{ ${text}; } 2>/dev/null`)] });
    await cluster.over("devices");
    expect(await cluster.log("devices")).toBe("1\n");
    const { mode, uid } = statSync("/dev/full");
    expect({ mode, uid }).toEqual({ mode: before.mode, uid: before.uid });
  });

  test("the helper program cannot be written to by its own processes", async () => {
    // The command is the helper program itself, which a container can find by /proc/PID/exe.
    const find = `for each in /proc/[0-9]*/exe; do
        case $(readlink $each) in *confine) if (exec 3>>$each); then echo writable; fi;; esac
      done`;
    const look = `{ ${find}; } 2>/dev/null; sleep 0.02`;
    const loop = `i=0; while [ $i -lt 40 ]; do ${look}; i=$((i+1)); done`;
    const livenessProbe = {
      exec: { command: ["/proc/self/exe", "enter", "-d/", "--", "/usr/bin/sleep", "1"] },
      periodSeconds: 1,
    };
    await cluster.createPod("helper", {
      containers: [script(`${loop}; echo looked`, { livenessProbe })],
    });
    await cluster.over("helper");
    expect(await cluster.log("helper")).toBe("looked\n");
  });

  test("log and message cannot be leased, which would block the server", async () => {
    const lease = (file: string) => `perl -e 'open(F, "+>>", "${file}"); fcntl(F, 1024, 1)
      and print "leased\\n" or print "denied\\n"' 2>&1`;
    const text = `${lease("/dev/termination-log")}; ${lease("/tmp/file")}`;
    await cluster.createPod("leases", { containers: [script(text)] });
    await cluster.over("leases");
    expect(await cluster.log("leases")).toBe("denied\ndenied\n");
  });

  test("a tree too deep for a path does not stop the spawner", async () => {
    const deep = `perl -e 'chdir "/opt"; for (1..300) { mkdir "d" x 100; chdir "d" x 100 }'`;
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const container = script(`${deep}; cd /v; ${deep.replace("/opt", "/v")}`, { volumeMounts });
    const volumes = [{ name: "v", emptyDir: {} }];
    await cluster.createPod("deep", { volumes, containers: [container] });
    await cluster.over("deep");
    const long = { name: "v", mountPath: `/${"b/".repeat(3000)}` };
    await cluster.createPod("long", {
      volumes,
      containers: [script("true", { volumeMounts: [long] })],
    });
    await settled("long");
    const spawner = cluster.spawner();
    for (const name of ["deep", "long"]) await cluster.deletePod(name, 0);
    await cluster.createPod("after", { containers: [script("echo runs")] });
    await cluster.over("after");
    expect(await cluster.log("after")).toBe("runs\n");
    expect(cluster.spawner()).toBe(spawner);
    await until(() => {
      const left = readdirSync(path.join(cluster.tally.dataDir, "volumes", "pods"));
      return left.length === 0;
    });
  });

  test("/sys and all mounts below it are read-only", async () => {
    const text = `awk '$5 ~ "^/sys" && $6 ~ "^rw" { print $5 }' /proc/self/mountinfo; echo looked`;
    await cluster.createPod("sys", { hostNetwork: true, containers: [script(text)] });
    await cluster.over("sys");
    expect(await cluster.log("sys")).toBe("looked\n");
  });
});
