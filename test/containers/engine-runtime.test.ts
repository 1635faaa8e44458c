/** The runtime of an engine by itself, on a real one: what it makes, tells, finds and leaves. */
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
    // Every test gave back what it had.
    expect(await engine?.dispose()).toEqual([]);
  });
  const of = () => engine;
  describe("a container", () => containerTests(of));
  describe("what cannot begin", () => refusalTests(of));
  describe("a server that comes after another", () => recoveryTests(of));
});

type Engine = () => EngineUnderTest;

function containerTests(engine: Engine): void {
  test("has its hostname, address, environment and files, and what it says is kept", async () => {
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

  test("that names no command runs that of its image", async () => {
    const wanted = engine().request([]);
    await engine().start(wanted);
    expect(await engine().exitOf(wanted)).toMatchObject({ exitCode: 0 });
    engine().release(wanted);
  });

  test("has a user, groups and a root that may not be written to", async () => {
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

  test("has commands beside it, and ends when it is told to", async () => {
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
  test("is refused where the command is not there, and leaves no container", async () => {
    const wanted = engine().request(["no-such-command"]);
    await expect(engine().start(wanted)).rejects.toMatchObject({ exitCode: 127 });
    await expect(engine().start(wanted)).rejects.toBeInstanceOf(RunRefused);
    engine().release(wanted);
  });

  test.each([
    ["localhost/none:1", "Never", "ErrImageNeverPull"],
    // Nothing listens on this port: the pull is refused at once.
    ["127.0.0.1:1/none:1", "IfNotPresent", "ErrImagePull"],
    ["NOT AN IMAGE", "IfNotPresent", "InvalidImageName"],
  ] as const)("waits for %s by the policy %s: %s", async (name, policy, reason) => {
    const wanted = engine().request(["true"], { image: engine().image(name, policy) });
    await expect(engine().start(wanted)).rejects.toMatchObject({ reason });
  });

  test("is refused where it would be root and must not be", async () => {
    const wanted = engine().request(["true"], {
      nonRoot: { pod: "p_n(u)", container: "main" },
    });
    const reason = "CreateContainerConfigError";
    const message =
      'container has runAsNonRoot and image will run as root (pod: "p_n(u)", container: main)';
    await expect(engine().start(wanted)).rejects.toMatchObject({ reason, message });
  });

  test("is pulled less and less often", async () => {
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
  test("finds what runs and what ended, with all that was said", async () => {
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

  test("finds one that has printed nothing, with its place, and hears how it ends", async () => {
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
