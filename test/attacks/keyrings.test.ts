/**
 * Kernel keys that one container leaves for another, or takes from the host. The kernel keeps a
 * keyring for each user, and without protection all processes of a server would inherit the keyring
 * that the server was started with.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { Exec, KubeConfig } from "@kubernetes/client-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";
import { Cluster, script, stateOf, until } from "../agent/cluster.ts";
import { AS_NOBODY, NOBODY, withoutNobody } from "../support/nobody.ts";
import { projectFile } from "../support/project-file.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

/** System call numbers of x86_64. Perl makes the calls, because no standard program does. */
const CALL = { add: 248, request: 249, control: 250, openHandle: 304 };
const USER_KEYRING = -4;
const canCall = process.arch === "x64" && spawnSync("perl", ["-e", "1"]).status === 0;
const isBuilt = existsSync(projectFile("dist/confine"));
const reason = withoutSandboxes || (canCall && isBuilt ? "" : "(skipped: no perl or no compiler)");

/** Prints "answer: " with the result of the system call. */
const call = (number: number, ...args: readonly (string | number)[]) => {
  const words = args.map((each) => (typeof each === "string" ? `"${each}"` : each)).join(",");
  const answer = `syscall(${number}, @words) == -1 ? $! : "done"`;
  return `perl -e 'my @words = (${words}); print "answer: ", (${answer}), "\\n"'`;
};
const ADD = call(CALL.add, "user", "tally-attack", "secret", 6, USER_KEYRING);
const FIND = call(CALL.request, "user", "tally-attack", "", 0);
const LOOK = call(CALL.control, 0, USER_KEYRING, 0);
const DENIED = "answer: Operation not permitted\n";

describe.skipIf(reason !== "")(`keyrings ${reason}`, () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await Cluster.start({ args: ["--default-runtime=sandbox"] });
  });
  afterEach(() => cluster.dispose());

  test("are not shared between containers", async () => {
    const text = `${ADD}; ${FIND}; ${LOOK}; ${call(CALL.openHandle, -100, 0, 0)}`;
    await cluster.createPod("first", { containers: [script(text)] });
    await cluster.over("first");
    expect(await cluster.log("first")).toBe(DENIED.repeat(4));
  });

  test("of the host are closed to containers, and to commands and probes in them", async () => {
    const key = hostKey();
    try {
      const started = "touch /started; while :; do sleep 0.05; done";
      const probe = { exec: { command: ["sh", "-c", `${FIND} | grep -q done`] } };
      const container = script(`${FIND}; ${started}`, {
        readinessProbe: { ...probe, periodSeconds: 1 },
      });
      await cluster.createPod("stays", { containers: [container] });
      await cluster.podThat("stays", (pod) => stateOf(pod)?.running !== undefined);
      const said = await execute(cluster, "stays", ["sh", "-c", `${FIND}; ${LOOK}`]);
      expect(said).toBe(DENIED.repeat(2));
      expect(await cluster.log("stays")).toBe(DENIED);
      const found = await cluster.podThat("stays", ({ status }) => status.phase === "Running");
      expect(found.status.containerStatuses?.[0]?.ready).toBe(false);
    } finally {
      // KEYCTL_UNLINK.
      execFileSync("perl", ["-e", `syscall(${CALL.control}, 9, ${key}, ${USER_KEYRING})`]);
    }
  });

  /** Adds a key for the user as whom the server and the containers run. */
  function hostKey(): number {
    const words = `my @words = ("user", "tally-attack", "secret", 6, ${USER_KEYRING})`;
    const text = execFileSync("perl", ["-e", `${words}; print syscall(${CALL.add}, @words)`]);
    expect(Number(text)).toBeGreaterThan(0);
    return Number(text);
  }
});

const rootless = reason || withoutNobody || (findTools(NOBODY).can.problem ?? "");

describe.skipIf(rootless !== "")(`keyrings without root [${rootless || "as nobody"}]`, () => {
  test("are closed to containers, and to commands in them", async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "tally-keyrings-"));
    chownSync(dataDir, NOBODY, NOBODY);
    const cluster = await Cluster.start({
      dataDir,
      command: [...AS_NOBODY, process.execPath],
      env: { HOME: dataDir },
      cwd: "/",
      args: ["--default-runtime=sandbox"],
    });
    try {
      const text = `${FIND}; while :; do sleep 0.05; done`;
      await cluster.createPod("stays", { containers: [script(text)] });
      await cluster.podThat("stays", (pod) => stateOf(pod)?.running !== undefined);
      expect(await execute(cluster, "stays", ["sh", "-c", LOOK])).toBe(DENIED);
      await until(async () => (await cluster.log("stays")) !== "");
      expect(await cluster.log("stays")).toBe(DENIED);
    } finally {
      await cluster.dispose();
    }
  });
});

async function execute(cluster: Cluster, pod: string, command: string[]): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(cluster.tally.kubeconfig);
  const stdout = new PassThrough();
  let out = "";
  stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  await new Promise((resolve, reject) => {
    new Exec(config)
      .exec("default", pod, "c", command, stdout, null, null, false, resolve)
      .catch(reject);
  });
  return out;
}
