/** Sandboxes of a server that is not root: user namespaces, on the network of the host. */
import { chownSync, existsSync, readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";
import { poll } from "../support/poll.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { startTally, type Tally } from "../support/tally.ts";

const NOBODY = 65534;
const PODS = "/api/v1/namespaces/default/pods";
const { problem } = findTools(NOBODY).can;
const isRoot = process.getuid?.() === 0;
const reason = isRoot ? (problem ?? "") : "only root can run as another user";

const AS_NOBODY = [
  ...["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
  ...["--inh-caps=-all", "--bounding-set=-all", process.execPath],
];

describe.skipIf(reason !== "")(`sandboxes without root [${reason || "as nobody"}]`, () => {
  let tally: Tally;

  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "tally-rootless-"));
    chownSync(dataDir, NOBODY, NOBODY);
    const env = { HOME: dataDir };
    tally = await startTally({ hasAgent: true, dataDir, command: AS_NOBODY, env, cwd: "/" });
  });

  afterAll(() => tally.dispose());

  test("have their own hostname, files and processes, and the user of the server", async () => {
    const script = [
      "id -u; hostname; cat /v/name; echo",
      "echo $$$$; touch /opt/tally-in-the-pod /new && echo written",
      `ls -A ${tally.dataDir} | wc -l; grep CapEff /proc/self/status; grep -c "own$" /etc/hosts`,
      "mkdir /tmp/closed; touch /tmp/closed/x; chmod 0 /tmp/closed",
    ];
    const said = await run(tally, aPod("own", script.join("\n")));
    const [uid, hostname, label, pid, written, seen, rights, hosts] = said.split("\n");
    expect([uid, hostname, label]).toEqual([String(NOBODY), "own", "own"]);
    expect(Number(pid)).toBeLessThan(100);
    expect([written, seen, hosts]).toEqual(["written", "0", "1"]);
    expect(rights).toMatch(/\s0+$/);
    expect(existsSync("/opt/tally-in-the-pod")).toBe(false);
    const { json } = await tally.call("GET", `${PODS}/own`);
    expect(json.status.podIP).toMatch(/^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
  });

  test("with a read-only root can write only to volumes", async () => {
    expect(await runShut(tally)).toMatch(SHUT);
  });

  test("reject pods that need more than that, and leave nothing behind", async () => {
    const pod = aPod("other", "id", { runAsUser: 5 });
    expect((await tally.call("POST", PODS, pod)).status).toBe(201);
    const status = async () => (await tally.call("GET", `${PODS}/other`)).json.status;
    await poll(async () => (await status()).phase).toBe("Failed");
    expect((await status()).message).toContain("runAsUser 5 (the server is not root");
    await tally.stop();
    const left = join(tally.dataDir, "agent", "sandboxes");
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  });
});

describe.skipIf(!isRoot || withoutSandboxes)(`sandboxes of root ${withoutSandboxes}`, () => {
  test("with a read-only root can write only to volumes", async () => {
    const tally = await startTally({ hasAgent: true });
    try {
      expect(await runShut(tally)).toMatch(SHUT);
    } finally {
      await tally.dispose();
    }
  });
});

const SHUT = /^volume\nnone\nCapBnd:\s0+$/;

function runShut(tally: Tally): Promise<string> {
  const script =
    "touch /v2/x && echo volume; touch /x || touch /etc/x || touch /tmp/x || echo none";
  return run(
    tally,
    aPod("shut", `(${script}) 2>/dev/null; grep CapBnd /proc/self/status`, {
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    }),
  );
}

async function run(tally: Tally, pod: NamedPod): Promise<string> {
  const made = await tally.call("POST", PODS, pod);
  expect(made.status, made.text).toBe(201);
  const where = `${PODS}/${pod.metadata.name}`;
  const status = async () => (await tally.call("GET", where)).json.status;
  await poll(async () => (await status()).phase).toBe("Succeeded");
  return (await tally.call("GET", `${where}/log`)).text.trim();
}

interface NamedPod {
  readonly metadata: { readonly name: string };
}

function aPod(name: string, script: string, securityContext: object = {}): NamedPod {
  const items = [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }];
  const volumeMounts = [
    { name: "v", mountPath: "/v" },
    { name: "empty", mountPath: "/v2" },
  ];
  const command = ["/bin/sh", "-c", script];
  const container = { name: "c", image: "none", command, volumeMounts, securityContext };
  const volumes = [
    { name: "v", downwardAPI: { items } },
    { name: "empty", emptyDir: {} },
  ];
  const spec = { restartPolicy: "Never", containers: [container], volumes };
  return Object.assign({ metadata: { name } }, { spec });
}
