/**
 * The modes of files below a data directory, as if its parent protected nothing. The umask of the
 * processes is 0: a file created without an explicit mode is open to everybody.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { Exec, KubeConfig } from "@kubernetes/client-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Cluster, script, stateOf, until } from "../agent/cluster.ts";
import { Place } from "../run/tally-run.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

/** Files that pods see as their own. They have the modes that Kubernetes gives them. */
const OF_PODS = [
  /^agent\/names\/.+/,
  /^agent\/sandboxes\/[^/]+\/(mounted|roots)(\/|$)/,
  /^agent\/sandboxes\/shared\/.+/,
  /^volumes\/[^/]+\/.+/,
];

const OTHERS = 0o077;

/** The files that other users can access, each as "MODE PATH". */
function openToOthers(dataDir: string): readonly string[] {
  const paths = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  expect(paths.length).toBeGreaterThan(10);
  return ["", ...paths].flatMap((each) => {
    const found = lstatSync(path.join(dataDir, each), { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink() || OF_PODS.some((known) => known.test(each))) return [];
    return (found.mode & OTHERS) === 0 ? [] : [`${(found.mode & 0o777).toString(8)} ${each}`];
  });
}

describe("a run", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.dispose());

  test("leaves no files that other users can read or write", async () => {
    const args = ["run", "-q", "--completions", "3", "--", "sh", "-c", "echo out; echo error >&2"];
    const { code } = await place.run(args, undefined, { before: "umask 0" });
    expect(code).toBe(0);
    expect(openToOthers(place.path(".tally"))).toEqual([]);
  });
});

describe("a server", () => {
  let parent: string;
  let cluster: Cluster;
  beforeEach(async () => {
    parent = mkdtempSync(path.join(tmpdir(), "tally-modes-"));
    cluster = await Cluster.start({
      dataDir: path.join(parent, "data"),
      command: ["sh", "-c", 'umask 0; exec "$@"', "sh", process.execPath],
    });
  });
  afterEach(async () => {
    await cluster.dispose();
    rmSync(parent, { recursive: true, force: true });
  });

  const runtimes = withoutSandboxes === "" ? ["process", "sandbox"] : ["process"];
  test.each(runtimes)("has no files that others can read or write, with a %s", async (runtime) => {
    const loop = "echo up; while :; do sleep 0.05; done";
    const words = 'echo words > "$TALLY_TERMINATION_LOG"; echo log; exit 1';
    const probe = { exec: { command: ["true"] }, periodSeconds: 1 };
    const spec = { runtimeClassName: runtime };
    const stays = script(loop, { readinessProbe: probe, stdin: true });
    await cluster.createPod("stays", { ...spec, containers: [stays] });
    await cluster.createPod("ends", { ...spec, containers: [script(words)] });
    expect(stateOf(await cluster.over("ends"))?.terminated?.message).toBe("words\n");
    await cluster.podThat("stays", (pod) => stateOf(pod)?.running !== undefined);
    for (const tty of [false, true]) await execute(tty);
    await until(async () => (await cluster.log("stays")) === "up\n");
    const open = openToOthers(cluster.tally.dataDir);
    // A running container must be able to write its termination message, whatever its user is.
    expect(open.filter((each) => !/^666 logs.*_stays_.*\.message$/.test(each))).toEqual([]);
  });

  function execute(tty: boolean): Promise<unknown> {
    const config = new KubeConfig();
    config.loadFromFile(cluster.tally.kubeconfig);
    const stdout = new PassThrough().resume();
    return new Promise((resolve, reject) => {
      new Exec(config)
        .exec("default", "stays", "c", ["true"], stdout, null, null, tty, resolve)
        .catch(reject);
    });
  }
});
