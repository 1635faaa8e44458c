/** The two modes of a server, single-user and shared: who may connect, and where pods run. */

import { mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { poll } from "../support/poll.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { runTally, startTally, type Tally } from "../support/tally.ts";
import { startTallyAgent } from "../support/tally-agent.ts";

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "tally-test-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

const QUIET = ["--controllers=none"];

test("a single-user server issues a kubeconfig only with --trusted", async () => {
  const tally = await startTally({ dataDir, args: QUIET });
  try {
    const refused = await runTally(["kubeconfig", "alice", "--data", dataDir]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toMatch(
      /^tally kubeconfig: this server serves its own user alone: .* --shared .*\n$/,
    );
    const trusted = await runTally(["kubeconfig", "alice", "--trusted", "--data", dataDir]);
    expect(trusted).toMatchObject({ code: 0, error: "" });
    const node = ["kubeconfig", "system:node:n", "--group", "system:nodes", "--data", dataDir];
    expect(await runTally(node)).toMatchObject({ code: 0, error: "" });
  } finally {
    await tally.stop();
  }
});

test("a server that has admitted other users only starts with --shared", async () => {
  const shared = await startTally({ dataDir, args: [...QUIET, "--shared"] });
  expect(await runTally(["kubeconfig", "alice", "--data", dataDir])).toMatchObject({ code: 0 });
  await shared.stop();
  const sentence =
    `${dataDir} belongs to a server that has admitted people who must not act as its user: ` +
    "only tally up --shared may start it";
  const up = ["up", "--port=0", "--no-agent", "--data", dataDir];
  const alone = await runTally(up);
  expect(alone.code).not.toBe(0);
  expect(alone.error).toBe(`tally up: ${sentence}\n`);
  const run = await runTally(["run", "--data", dataDir, "named", "--", "true"]);
  expect(run.code).not.toBe(0);
  expect(run.error).toContain(sentence);
  const again = await startTally({ dataDir, args: [...QUIET, "--shared"] });
  await again.stop();
});

/** Hides a program that sandboxes need, in a separate mount namespace. */
const HIDE = 'mount --bind /dev/null "$(command -v nsenter)" && exec "$0" "$@"';

test.skipIf(withoutSandboxes || process.getuid?.() !== 0)(
  `a shared server does not start without sandboxes ${withoutSandboxes}`,
  async () => {
    const command = ["unshare", "--mount", "sh", "-c", HIDE, process.execPath];
    await expect(
      startTally({ dataDir, hasAgent: true, command, args: ["--shared"] }),
    ).rejects.toThrow(
      "tally up: --shared needs sandboxes, which this machine cannot make: " +
        "nsenter of util-linux not found on this machine\n",
    );
  },
);

/** Prints the mount namespace of a pod: a process of the host is in that of the tests. */
const NAMESPACE = ["readlink", "/proc/self/ns/mnt"];

function pod(name: string, spec: object): object {
  const container = { name: "c", image: "busybox", command: NAMESPACE };
  return { metadata: { name }, spec: { restartPolicy: "Never", containers: [container], ...spec } };
}

async function ended(tally: Tally, where: string): Promise<{ phase: string; reason?: string }> {
  const status = async () => (await tally.call("GET", where)).json.status;
  await poll(async () => (await status()).phase).toMatch(/^(Succeeded|Failed)$/);
  return status();
}

test.skipIf(withoutSandboxes)(
  `pods of a shared server run in sandboxes, or as processes if permitted ${withoutSandboxes}`,
  async () => {
    const args = ["--shared", "--allowed-runtimes=sandbox,process"];
    const tally = await startTally({ dataDir, hasAgent: true, args });
    try {
      const labels = { "pod-security.kubernetes.io/enforce": "privileged" };
      await tally.call("POST", "/api/v1/namespaces", { metadata: { name: "loose", labels } });
      const own = "/api/v1/namespaces/default/pods";
      const loose = "/api/v1/namespaces/loose/pods";
      expect((await tally.call("POST", own, pod("p", {}))).status).toBe(201);
      const host = pod("p", { runtimeClassName: "process" });
      expect((await tally.call("POST", own, host)).status).toBe(403);
      expect((await tally.call("POST", loose, host)).status).toBe(201);
      const namespace = await readlink("/proc/self/ns/mnt");
      for (const [where, isHost] of [
        [own, false],
        [loose, true],
      ] as const) {
        expect((await ended(tally, `${where}/p`)).phase).toBe("Succeeded");
        const { text } = await tally.call("GET", `${where}/p/log`);
        expect(text.trim() === namespace).toBe(isHost);
      }
    } finally {
      await tally.dispose();
    }
  },
);

test("a remote agent rejects runtimes that its shared server does not allow", async () => {
  const where = "/api/v1/namespaces/default/pods";
  const alone = await startTally({ dataDir, args: QUIET });
  const made = await alone.call("POST", where, pod("p", { runtimeClassName: "process" }));
  expect(made.status).toBe(201);
  await alone.stop();
  const tally = await startTally({ dataDir, args: [...QUIET, "--shared"] });
  const agent = await startTallyAgent(tally, {
    nodeName: "w",
    args: ["--default-runtime=process"],
  });
  try {
    const target = { apiVersion: "v1", kind: "Node", name: "w" };
    await tally.call("POST", `${where}/p/binding`, { metadata: { name: "p" }, target });
    const { phase, reason } = await ended(tally, `${where}/p`);
    expect({ phase, reason }).toEqual({ phase: "Failed", reason: "RuntimeNotAllowed" });
  } finally {
    await agent.dispose();
    await tally.stop();
  }
});

test.skipIf(withoutSandboxes)(
  `an agent whose default runtime is process uses sandboxes for a shared server ${withoutSandboxes}`,
  async () => {
    const tally = await startTally({ dataDir, args: [...QUIET, "--shared"] });
    const args = ["--default-runtime=process"];
    const agent = await startTallyAgent(tally, { nodeName: "w", args });
    try {
      const where = "/api/v1/namespaces/default/pods";
      await tally.call("POST", where, pod("p", { nodeName: "w" }));
      expect((await ended(tally, `${where}/p`)).phase).toBe("Succeeded");
      const { text } = await tally.call("GET", `${where}/p/log`);
      expect(text.trim()).not.toBe(await readlink("/proc/self/ns/mnt"));
    } finally {
      await agent.dispose();
      await tally.stop();
    }
  },
);
