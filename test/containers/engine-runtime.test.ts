/**
 * The runtime for Docker and Podman by itself, on a real Podman: starts, exits, recovery, cleanup.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunDelayed, RunRefused } from "../../src/agent/runtimes/runtime.ts";
import { EngineUnderTest } from "./engine-under-test.ts";
import { Podman } from "./podman.ts";

const isThere = Podman.isThere();

describe.runIf(isThere)("the runtime of an engine", () => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await EngineUnderTest.start();
  });
  afterAll(async () => {
    // Every test must have released its containers.
    expect(await engine?.dispose()).toEqual([]);
  });
  const of = () => engine;
  describe("a container", () => containerTests(of));
  describe("a container that cannot start", () => refusalTests(of));
  describe("a restarted server", () => recoveryTests(of));
});

type Engine = () => EngineUnderTest;

function containerTests(engine: Engine): void {
  test("has its hostname, address, environment and files, and its output is stored", async () => {
    const wanted = engine().script(
      "hostname; echo $COLOR; cat /etc/resolv.conf; ip -4 addr show eth0 | grep -o '10[.0-9]*/';" +
        " echo bad >&2; printf words > /dev/termination-log; exit 3",
    );
    await engine().start(wanted);
    expect(await engine().exitOf(wanted)).toMatchObject({ exitCode: 3 });
    const address = wanted.engine.network?.address;
    const said = `web-0\na b'c\nnameserver 127.0.0.1\n${address}/\nbad\n`;
    expect(engine().printed(wanted)).toBe(said);
    expect(readFileSync(wanted.messageFile ?? "", "utf8")).toBe("words");
    engine().release(wanted);
  });

  test("that names no command runs the command of its image", async () => {
    const wanted = engine().request([]);
    await engine().start(wanted);
    expect(await engine().exitOf(wanted)).toMatchObject({ exitCode: 0 });
    engine().release(wanted);
  });

  test("has a user, groups and a read-only root", async () => {
    const wanted = engine().script("id -u; id -g; id -G; touch /x || echo read-only", {
      user: { uid: 1234, gid: 55, groups: [77] },
      hasReadOnlyRoot: true,
    });
    await engine().start(wanted);
    await engine().exitOf(wanted);
    const lines = engine().printed(wanted).split("\n");
    expect(lines.slice(0, 3)).toEqual(["1234", "55", "55 77"]);
    expect(lines).toContain("read-only");
    engine().release(wanted);
  });

  test("can execute further commands, and ends on a signal", async () => {
    const wanted = engine().script("sleep 100");
    await engine().start(wanted);
    const { id } = wanted;
    const beside = { of: id, name: "x", environment: [], command: ["sh", "-c", "exit 7"] };
    expect(await engine().runtime.exec(beside, new AbortController().signal)).toBe(7);
    await engine().runtime.signal(id, "KILL");
    expect(await engine().exitOf(wanted)).toMatchObject({ exitCode: 137, signal: 9 });
    engine().release(wanted);
  });
}

function refusalTests(engine: Engine): void {
  test("is rejected if its command does not exist, and leaves nothing behind", async () => {
    const wanted = engine().request(["no-such-command"]);
    await expect(engine().start(wanted)).rejects.toMatchObject({ exitCode: 127 });
    await expect(engine().start(wanted)).rejects.toBeInstanceOf(RunRefused);
    engine().release(wanted);
  });

  test.each([
    ["localhost/none:1", "Never", "ErrImageNeverPull"],
    // Nothing listens on this port: the pull fails immediately.
    ["127.0.0.1:1/none:1", "IfNotPresent", "ErrImagePull"],
    ["NOT AN IMAGE", "IfNotPresent", "InvalidImageName"],
  ] as const)("of the image %s with the policy %s waits: %s", async (name, policy, reason) => {
    const wanted = engine().request(["true"], { image: engine().image(name, policy) });
    await expect(engine().start(wanted)).rejects.toMatchObject({ reason });
  });

  test("is rejected if it would run as root and must not", async () => {
    const wanted = engine().request(["true"], {
      nonRoot: { pod: "p_n(u)", container: "main" },
    });
    const reason = "CreateContainerConfigError";
    const message =
      'container has runAsNonRoot and image will run as root (pod: "p_n(u)", container: main)';
    await expect(engine().start(wanted)).rejects.toMatchObject({ reason, message });
  });

  test("has a back-off for pulling its image", async () => {
    const name = "127.0.0.1:1/never:1";
    const wanted = engine().request(["true"], { image: engine().image(name) });
    await expect(engine().start(wanted)).rejects.toBeInstanceOf(RunDelayed);
    await expect(engine().start(wanted)).rejects.toMatchObject({ reason: "ImagePullBackOff" });
    const pulls = engine().events.filter(
      (event) => event === `Normal Pulling Pulling image "${name}"`,
    );
    expect(pulls).toHaveLength(1);
    expect(engine().events).toContain("Warning Failed Error: ImagePullBackOff");
  });
}

function recoveryTests(engine: Engine): void {
  test("recovers running and ended containers with all their output", async () => {
    const waits = "while [ ! -e /shared/go ]; do sleep 0.1; done";
    const shared = { source: engine().directory, mountPath: "/shared", isReadOnly: true };
    const script = engine().script(`echo one; ${waits}; echo two; exit 4`);
    const running = { ...script, mounts: [shared] };
    await engine().start(running);
    const ended = engine().script("echo done; exit 5");
    await engine().start(ended);
    await engine().exitOf(ended);
    await engine().runtime.close({ leavesRunning: true });
    const found = await engine().open();
    expect(found.ended).toMatchObject([{ id: ended.id, exitCode: 5 }]);
    expect(found.running).toMatchObject([{ id: running.id }]);
    writeFileSync(path.join(engine().directory, "go"), "");
    expect(await engine().exitOf(running)).toMatchObject({ exitCode: 4 });
    expect(engine().printed(running)).toBe("one\ntwo\n");
    engine().release(running);
    engine().release(ended);
  });

  test("recovers a container without output, with its place, and reports its exit", async () => {
    const silent = { ...engine().script("exec sleep 3600"), place: "default/j/3" };
    await engine().start(silent);
    await engine().runtime.close({ leavesRunning: true });
    const { running } = await engine().open();
    expect(running).toMatchObject([{ id: silent.id, place: "default/j/3", runtime: "podman" }]);
    await engine().runtime.signal(silent.id, "KILL");
    expect(await engine().exitOf(silent)).toMatchObject({ exitCode: 137 });
    engine().release(silent);
  });
}
