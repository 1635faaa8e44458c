import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentAtWork } from "../../../test/builders/agent.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

const probe = { exec: { command: ["ask"] }, periodSeconds: 1 };

function probed(probes: object, spec: object = {}) {
  const container = { name: "c", image: "i", command: ["x"], ...probes };
  return { spec: { restartPolicy: "Always", containers: [container], ...spec } };
}

/** How each probe that is under way ends. */
async function answer(exitCode: number): Promise<void> {
  const { execs } = world.runtime;
  for (const { of, name } of execs.splice(0)) {
    world.runtime.endExec(`${of.podUid}/${of.container}/${of.attempt}/${name}`, exitCode);
  }
  await world.pass(20);
}

function kinds(): readonly string[] {
  return world.runtime.execs.map(({ name }) => name.split("-")[0] ?? "");
}

async function isReady(): Promise<boolean | undefined> {
  return (await world.pod("p")).status.containerStatuses?.[0]?.ready;
}

test("a container is ready when its readiness probe says so, and as long as it does", async () => {
  await world.create("p", probed({ readinessProbe: { ...probe, failureThreshold: 2 } }));
  await world.pass(20);
  expect(await isReady()).toBe(false);
  const { conditions = [] } = (await world.pod("p")).status;
  expect(conditions.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "ContainersNotReady",
    message: "containers with unready status: [c]",
  });
  await answer(0);
  expect(await isReady()).toBe(true);
  await world.pass(1000);
  await answer(1);
  expect(await isReady()).toBe(true);
  await world.pass(1000);
  await answer(1);
  expect(await isReady()).toBe(false);
  expect(await world.events()).toContain("Unhealthy: Readiness probe failed: ");
  expect(world.runtime.signals).toEqual([]);
});

test("a container that fails its liveness probe is ended and started again", async () => {
  const liveness = { ...probe, failureThreshold: 2, terminationGracePeriodSeconds: 7 };
  const uid = await world.create("p", probed({ livenessProbe: liveness }));
  await world.pass(20);
  expect(await isReady()).toBe(true);
  await answer(1);
  expect(world.runtime.signals).toEqual([]);
  await world.pass(1000);
  await answer(1);
  expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
  expect(await world.events()).toContain(
    "Killing: Container c failed liveness probe, will be restarted",
  );
  await world.pass(7_100);
  expect(world.runtime.signals.at(-1)).toEqual({ run: `${uid}/c/0`, signal: "KILL" });
  // It rests while its container is on the way out.
  expect(world.runtime.execs).toEqual([]);
  await world.end(`${uid}/c/0`, 137);
  expect(world.runtime.alive).toEqual([`${uid}/c/1`]);
  await world.pass(20);
  expect(kinds()).toEqual(["liveness"]);
});

test("one ended for its health runs again under OnFailure, even if it exits with 0", async () => {
  const liveness = { ...probe, failureThreshold: 1 };
  const spec = { restartPolicy: "OnFailure" };
  const uid = await world.create("p", probed({ livenessProbe: liveness }, spec));
  await world.pass(20);
  await answer(1);
  await world.end(`${uid}/c/0`, 0);
  expect(world.runtime.alive).toEqual([`${uid}/c/1`]);
});

test("where nothing restarts it is ended for good", async () => {
  const liveness = { ...probe, failureThreshold: 1 };
  const spec = { restartPolicy: "Never" };
  const uid = await world.create("p", probed({ livenessProbe: liveness }, spec));
  await world.pass(20);
  await answer(1);
  expect(await world.events()).toContain("Killing: Container c failed liveness probe");
  await world.end(`${uid}/c/0`, 143);
  expect(await world.phaseOf("p")).toBe("Failed");
  expect(world.runtime.alive).toEqual([]);
});

test("the other probes wait for the startup probe, and begin when it is through", async () => {
  const all = { startupProbe: probe, readinessProbe: probe, livenessProbe: probe };
  await world.create("p", probed(all));
  await world.pass(20);
  expect(kinds()).toEqual(["startup"]);
  expect((await world.pod("p")).status.containerStatuses?.[0]?.started).toBe(false);
  await answer(1);
  await world.pass(1000);
  expect(kinds()).toEqual(["startup"]);
  await answer(0);
  expect((await world.pod("p")).status.containerStatuses?.[0]?.started).toBe(true);
  expect([...kinds()].sort()).toEqual(["liveness", "readiness"]);
  await answer(0);
  expect(await isReady()).toBe(true);
  await world.pass(1000);
  expect([...kinds()].sort()).toEqual(["liveness", "readiness"]);
});

test("a container whose startup probe fails too often is started again", async () => {
  const uid = await world.create("p", probed({ startupProbe: { ...probe, failureThreshold: 1 } }));
  await world.pass(20);
  await answer(1);
  expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
  expect(await world.events()).toContain(
    "Killing: Container c failed startup probe, will be restarted",
  );
});

test("a probe that takes too long has failed", async () => {
  await world.create("p", probed({ readinessProbe: { ...probe, timeoutSeconds: 2 } }));
  await world.pass(1_900);
  expect(await world.events()).not.toContain(
    'Unhealthy: Readiness probe failed: command "ask" timed out',
  );
  await world.pass(200);
  expect(await world.events()).toContain(
    'Unhealthy: Readiness probe failed: command "ask" timed out',
  );
});

test("the first probe waits for its delay", async () => {
  await world.create("p", probed({ livenessProbe: { ...probe, initialDelaySeconds: 5 } }));
  await world.pass(4_900);
  expect(kinds()).toEqual([]);
  await world.pass(200);
  expect(kinds()).toEqual(["liveness"]);
});

test("a pod that is deleted is not ended for its health, and stays unready", async () => {
  const all = { readinessProbe: probe, livenessProbe: { ...probe, failureThreshold: 1 } };
  const uid = await world.create("p", probed(all));
  await world.pass(20);
  await answer(0);
  await world.delete("p", 30);
  await world.pass(1000);
  expect(kinds()).toEqual(["readiness"]);
  await answer(1);
  expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
});

test("what was found before an agent was restarted stands until it is asked again", async () => {
  await world.create("p", probed({ readinessProbe: probe }));
  await world.pass(20);
  await answer(0);
  await world.crash();
  await world.open();
  await world.pass(20);
  expect(await isReady()).toBe(true);
  expect(kinds()).toEqual(["readiness"]);
});

test("a pod without probes is asked nothing", async () => {
  await world.create("p");
  await world.pass(60_000);
  expect(world.runtime.execs).toEqual([]);
});
