import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork } from "../../test/builders/agent.ts";
import { pods } from "../api/resources.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

describe("an agent that starts again", () => {
  test("finds what runs, and tells how it ends", async () => {
    const uid = await world.create("p");
    await world.crash();
    await world.open();
    expect(world.runtime.requests).toHaveLength(1);
    await world.end(`${uid}/c/0`, 4);
    expect(await world.stateOf("p")).toMatchObject({ terminated: { exitCode: 4 } });
  });

  test("tells what ended meanwhile, with its last words", async () => {
    const uid = await world.create("p");
    await world.crash();
    world.runtime.end(`${uid}/c/0`, 4);
    world.lastWords = "alas";
    await world.open();
    await world.pass(20);
    const terminated = { exitCode: 4, message: "alas" };
    expect(await world.stateOf("p")).toMatchObject({ terminated });
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`]);
  });

  test("hears what ends while it looks around", async () => {
    const uid = await world.create("p");
    await world.pass(20);
    await world.crash();
    const opening = world.open();
    await Promise.resolve();
    world.runtime.end(`${uid}/c/0`, 4);
    await opening;
    await world.pass(20);
    expect(await world.stateOf("p")).toMatchObject({ terminated: { exitCode: 4 } });
  });

  test("calls lost what nobody knows of, and runs it again only where it restarts", async () => {
    const never = await world.create("never");
    const always = await world.create("always", { spec: { restartPolicy: "Always" } });
    await world.pass(20);
    await world.crash();
    world.runtime.lose(`${never}/c/0`);
    world.runtime.lose(`${always}/c/0`);
    await world.open();
    await world.pass(20);
    const terminated = { exitCode: 137, reason: "ContainerStatusUnknown" };
    expect(await world.stateOf("never")).toMatchObject({ terminated });
    expect(world.runtime.alive).toEqual([`${always}/c/1`]);
  });
});

describe("an agent that stops", () => {
  test("and leaves what runs asks nothing of it", async () => {
    const uid = await world.create("p");
    await world.stop(true);
    expect(world.runtime.signals).toEqual([]);
    expect(world.runtime.alive).toEqual([`${uid}/c/0`]);
    expect(world.runtime.closings).toEqual([true]);
  });

  test("and ends what runs waits until that is told, and for nothing else", async () => {
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } }];
    const container = { name: "c", image: "i", command: ["x"], env };
    await world.create("waits", { spec: { containers: [container] } });
    const uid = await world.create("p");
    const stopping = world.stop(false);
    await world.settle();
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    expect(world.runtime.closings).toEqual([]);
    world.server.clock.advance(10);
    world.runtime.end(`${uid}/c/0`, 143);
    await stopping;
    const { status } = await world.pod("p");
    expect(status).toMatchObject({ phase: "Failed", reason: "Terminated" });
    expect(await world.phaseOf("waits")).toBe("Pending");
  });

  test("starts nothing any more", async () => {
    const uid = await world.create("p");
    const stopping = world.stop(false);
    await world.create("late");
    world.runtime.end(`${uid}/c/0`, 143);
    await stopping;
    expect(world.runtime.requests).toHaveLength(1);
    expect(await world.phaseOf("late")).toBe("Pending");
  });

  test("does not wait for ever", async () => {
    await world.create("p");
    const stopping = world.stop(false);
    await world.pass(5_000);
    expect(world.runtime.signals.at(-1)?.signal).toBe("KILL");
    await world.pass(5_000);
    await stopping;
    expect(world.runtime.closings).toEqual([false]);
  });
});

test("the port of a process is taken until it is gone, whatever the phase of its pod", async () => {
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  const containers = [{ name: "c", image: "busybox:1.36", command: ["task"], ports }];
  const first = await world.create("p1", { spec: { containers } });
  const body = { status: { phase: "Failed" } };
  const place = { namespace: "default", name: "p1" };
  await world.client.patch(pods, place, { type: "merge", subresource: "status", body });
  await world.settle();
  expect(world.runtime.alive).toEqual([`${first}/c/0`]);
  await world.create("p2", { spec: { containers } });
  await world.pass(20);
  expect((await world.pod("p2")).status).toMatchObject({ phase: "Failed", reason: "NodePorts" });
  await world.end(`${first}/c/0`, 143);
  const third = await world.create("p3", { spec: { containers } });
  expect(world.runtime.alive).toEqual([`${third}/c/0`]);
});

describe("an agent that stops and ends its pods", () => {
  test("gives a pod no more time than it asks for", async () => {
    const uid = await world.create("p", { spec: { terminationGracePeriodSeconds: 3 } });
    const stopping = world.stop(false);
    await world.pass(2900);
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    await world.pass(100);
    expect(world.runtime.signals).toContainEqual({ run: `${uid}/c/0`, signal: "KILL" });
    await world.end(`${uid}/c/0`, 137);
    await stopping;
    expect((await world.pod("p")).status).toMatchObject({ phase: "Failed", reason: "Terminated" });
  });

  test("tells of a pod that ended by itself just before", async () => {
    const uid = await world.create("p");
    world.runtime.end(`${uid}/c/0`, 3);
    const stopping = world.stop(false);
    await world.pass(20);
    await stopping;
    expect(await world.stateOf("p")).toMatchObject({ terminated: { exitCode: 3 } });
    expect((await world.pod("p")).status.reason).toBeUndefined();
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`]);
  });
});
