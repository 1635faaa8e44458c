import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork } from "../../../test/builders/agent.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

const exec = { exec: { command: ["hook", "$(A)"] } };

function hooked(lifecycle: object, spec: object = {}) {
  const env = [{ name: "A", value: "1" }];
  const container = { name: "c", image: "i", command: ["x"], workingDir: "/srv", env, lifecycle };
  return { spec: { containers: [container], ...spec } };
}

describe("a postStart hook", () => {
  test("has what its container has, and its command is taken as it is written", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    expect(world.runtime.execs).toHaveLength(1);
    expect(world.runtime.execs[0]).toMatchObject({
      of: { podUid: uid, container: "c", attempt: 0 },
      name: "postStart",
      command: ["hook", "$(A)"],
      workingDirectory: "/srv",
    });
    expect(world.runtime.execs[0]?.environment).toContainEqual(["A", "1"]);
  });

  test("keeps its container from being told of until it is through", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    await world.pass(1_000);
    expect(await world.phaseOf("p")).toBe("Pending");
    expect(await world.stateOf("p")).toEqual({ waiting: { reason: "ContainerCreating" } });
    world.runtime.endExec(`${uid}/c/0/postStart`);
    await world.pass(20);
    expect(await world.phaseOf("p")).toBe("Running");
    expect(world.runtime.execs).toHaveLength(1);
  });

  test("that fails ends its container, which restarts by its policy", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }, { restartPolicy: "Always" }));
    world.runtime.endExec(`${uid}/c/0/postStart`, 1);
    await world.pass(20);
    expect(await world.events()).toContain("FailedPostStartHook: PostStartHook failed");
    expect(await world.events()).toContain("Killing: FailedPostStartHook");
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    await world.end(`${uid}/c/0`, 143);
    expect(world.runtime.alive).toEqual([`${uid}/c/1`]);
    expect(world.runtime.execs).toHaveLength(2);
  });

  test("that fails fails a pod that never restarts", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    world.runtime.endExec(`${uid}/c/0/postStart`, 1);
    await world.pass(20);
    await world.end(`${uid}/c/0`, 143);
    expect(await world.phaseOf("p")).toBe("Failed");
    expect(await world.stateOf("p")).toMatchObject({ terminated: { exitCode: 143 } });
  });

  test("of a kind that was never carried out fails", async () => {
    const uid = await world.create("p", hooked({ postStart: { tcpSocket: { port: 1 } } }));
    await world.pass(20);
    expect(await world.events()).toContain("FailedPostStartHook: PostStartHook failed");
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
  });

  test("that cannot begin has failed", async () => {
    const uid = await world.create("p", hooked({ postStart: { httpGet: { port: "nope" } } }));
    await world.pass(20);
    expect(await world.events()).toContain("FailedPostStartHook: PostStartHook failed");
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
  });
});

describe("a postStart hook that is left alone", () => {
  test("by a pod that is deleted is cut short", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    await world.delete("p", 5);
    expect(await world.events()).toContain("FailedPostStartHook: PostStartHook failed");
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    await world.end(`${uid}/c/0`, 143);
    expect(await world.isGone("p")).toBe(true);
  });

  test("by the end of its container changes nothing more", async () => {
    const uid = await world.create("p", hooked({ postStart: { sleep: { seconds: 29 } } }));
    await world.end(`${uid}/c/0`, 0);
    expect(await world.phaseOf("p")).toBe("Succeeded");
    await world.pass(60_000);
    expect(await world.phaseOf("p")).toBe("Succeeded");
    expect(await world.events()).not.toContain("FailedPostStartHook: PostStartHook failed");
  });

  test("by its agent is asked for by the next one, which does not know how it went", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    await world.pass(20);
    await world.crash();
    await world.open();
    expect(world.runtime.execs.map(({ name }) => name)).toEqual(["postStart", "postStart"]);
    world.runtime.endExec(`${uid}/c/0/postStart`);
    await world.pass(20);
    expect(await world.phaseOf("p")).toBe("Running");
  });

  test("when its container was told to run is not asked for again", async () => {
    const uid = await world.create("p", hooked({ postStart: exec }));
    world.runtime.endExec(`${uid}/c/0/postStart`);
    await world.pass(20);
    await world.crash();
    await world.open();
    await world.pass(20);
    expect(world.runtime.execs).toHaveLength(1);
    expect(await world.phaseOf("p")).toBe("Running");
  });
});

describe("a preStop hook", () => {
  test("comes before the stop signal", async () => {
    const uid = await world.create("p", hooked({ preStop: exec }));
    await world.delete("p", 30);
    expect(await world.events()).toContain("Killing: Stopping container c");
    expect(world.runtime.execs.map(({ name }) => name)).toEqual(["preStop"]);
    expect(world.runtime.signals).toEqual([]);
    world.runtime.endExec(`${uid}/c/0/preStop`);
    await world.settle();
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    const killings = (await world.events()).filter((event) => event.startsWith("Killing"));
    expect(killings).toHaveLength(1);
  });

  test("that fails is told of, and the signal follows", async () => {
    const uid = await world.create("p", hooked({ preStop: exec }));
    await world.delete("p", 30);
    world.runtime.endExec(`${uid}/c/0/preStop`, 3);
    await world.settle();
    expect(await world.events()).toContain("FailedPreStopHook: PreStopHook failed");
    expect(world.runtime.signals).toHaveLength(1);
  });

  test("that takes all the grace leaves two seconds", async () => {
    await world.create("p", hooked({ preStop: { sleep: { seconds: 29 } } }));
    await world.delete("p", 5);
    await world.pass(4_999);
    expect(world.runtime.signals).toEqual([]);
    await world.pass(1);
    expect(world.runtime.signals.map(({ signal }) => signal)).toEqual(["TERM"]);
    await world.pass(1_999);
    expect(world.runtime.signals).toHaveLength(1);
    await world.pass(1);
    expect(world.runtime.signals.map(({ signal }) => signal)).toEqual(["TERM", "KILL"]);
  });

  test("that sleeps ends in its time", async () => {
    await world.create("p", hooked({ preStop: { sleep: { seconds: 3 } } }));
    await world.delete("p", 30);
    await world.pass(2_999);
    expect(world.runtime.signals).toEqual([]);
    await world.pass(1);
    expect(world.runtime.signals.map(({ signal }) => signal)).toEqual(["TERM"]);
  });
});
