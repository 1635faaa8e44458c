/** A container in a default sandbox that searches the files of the host for credentials. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Bundled, bundleProcesses } from "../agent/bundled.ts";
import { Cluster, script } from "../agent/cluster.ts";
import { RuntimeUnderTest } from "../agent/runtime-under-test.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { startTally } from "../support/tally.ts";
import { startTallyAgent } from "../support/tally-agent.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-in-sight-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Prints the contents of files and lists folders. */
const reading = (paths: readonly string[]) =>
  paths.map((each) => `if [ -d ${each} ]; then ls -A ${each}; else cat ${each}; fi`).join("; ");

describe.skipIf(withoutSandboxes)(`in sight of a sandbox ${withoutSandboxes}`, () => {
  test("are no kubeconfig, no data directory and no socket of any server", async () => {
    // All of them belong to one user, who has two servers and his own kubeconfig.
    const env = { HOME: directory, XDG_STATE_HOME: "" };
    const merged = path.join(directory, ".kube", "config");
    const kubeconfig = path.join(directory, "elsewhere", "config");
    const other = await startTally({ env, kubeconfig });
    const flags = ["--default-runtime=sandbox", "--merge-kubeconfig"];
    const cluster = await Cluster.start({ env, args: flags });
    try {
      const hidden = [merged, kubeconfig, other.dataDir, cluster.tally.dataDir];
      const looking = `cat ${directory}/own; ls -A /run; touch /run/mine && ls /run`;
      const text = `${reading(hidden)}; ${looking}`;
      writeFileSync(path.join(directory, "own"), "seen\n");
      // The second pod reuses the sandbox of the first.
      for (const name of ["first", "second"]) {
        await cluster.createPod(name, { containers: [script(text)] });
        await cluster.over(name);
        expect(await cluster.log(name)).toBe("seen\nsecrets\nmine\nsecrets\n");
      }
      // The data of a server that starts later is hidden from pods that start after it.
      const late = await startTally({ env });
      await cluster.createPod("third", { containers: [script(reading([late.dataDir]))] });
      await cluster.over("third");
      expect(await cluster.log("third")).toBe("");
      await late.dispose();
    } finally {
      await cluster.dispose();
      await other.dispose();
    }
  });

  test("is nothing that the host hides from its own users", async () => {
    const closed = "find /etc -maxdepth 2 ! -type l ! -perm -o+r -exec head -c 99 {} +";
    const cluster = await Cluster.start({ args: ["--default-runtime=sandbox"] });
    try {
      const text = `cat /etc/shadow; ${closed}; head -c 4 /etc/passwd`;
      await cluster.createPod("curious", { containers: [script(text)] });
      await cluster.over("curious");
      expect(await cluster.log("curious")).toBe("root");
    } finally {
      await cluster.dispose();
    }
  });

  test("is not the server of an agent on the same machine", async () => {
    const env = { HOME: directory, XDG_STATE_HOME: "" };
    const cluster = await Cluster.start({ env, args: ["--no-agent"] });
    const agent = await startTallyAgent(cluster.tally, {
      nodeName: "near",
      args: ["--default-runtime=sandbox"],
      env,
    });
    try {
      const text = reading([cluster.tally.dataDir, agent.dataDir]);
      const containers = [script(`${text}; echo looked`)];
      await cluster.createPod("curious", { nodeName: "near", containers });
      await cluster.over("curious");
      expect(await cluster.log("curious")).toBe("looked\n");
    } finally {
      await agent.dispose();
      await cluster.dispose();
    }
  });
});

describe.skipIf(withoutSandboxes)(`a sandbox that hides homes ${withoutSandboxes}`, () => {
  let bundled: Bundled;
  let the: RuntimeUnderTest;
  beforeEach(async () => {
    bundled = await bundleProcesses();
    the = new RuntimeUnderTest(bundled);
    await the.open();
  });
  afterEach(async () => {
    await the.dispose();
    await bundled.dispose();
  });

  const sandbox = {
    hostname: "homeless",
    messagePath: "/dev/termination-log",
    user: { uid: 0, gid: 0, groups: [] },
    mayGainPrivileges: true,
    hasReadOnlyRoot: false,
    isAlone: true,
    hidesHomes: true,
  };
  const names = ["home", "root", "run", "tmp", "var/tmp"].map((name) => `/${name}`);
  const text = `ls -A ${names.join(" ")}; for each in ${names.join(" ")}; do touch $each/x; done`;
  const EMPTY = `${names.join(":\n\n")}:\n`;

  test("shows empty folders, also to the next run", async () => {
    for (const _ of ["first", "second"]) {
      const request = the.script(text, { sandbox, workingDirectory: "/" });
      expect((await the.run(request)).exitCode).toBe(0);
      expect(the.logOf(request)).toBe(EMPTY);
    }
  });

  test("shows shared directories, except the server's data", async () => {
    const shared = path.join(directory, "shared");
    mkdirSync(shared);
    writeFileSync(path.join(shared, "file"), "");
    const sharing = { ...sandbox, sharedPaths: [shared] };
    const look = `ls -A ${directory} ${shared}; ls -A ${the.directory} | wc -l; ls /tmp`;
    const request = the.script(look, { sandbox: sharing, workingDirectory: "/" });
    await the.run(request);
    const name = path.basename(directory);
    expect(the.logOf(request)).toContain(`${directory}:\nshared\n\n${shared}:\nfile\n`);
    expect(the.logOf(request).trim().split("\n").at(-1)).toBe(name);
  });
});
